"""Checks of probes: bugs that show in a conversation without knowing the chatbot's domain.

A finding is certain if no reading of the conversation makes it right; else it is worth a look.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sparring.core.causes import BUILT_IN_TITLES
from sparring.core.conversation import Conversation
from sparring.core.verdict import Verdict
from sparring.extraction import typed_values
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import (
    asks_for_more,
    is_denial,
    is_yes_or_no_question,
    refuses,
    starts_with_yes_or_no,
)
from sparring.extraction.tokens import fold, mentions, sentences, stems, tokens
from sparring.probes import (
    answer_checks,
    arithmetic,
    correction_checks,
    day_checks,
    limits,
    number_checks,
    recall_checks,
    record_checks,
    restart_checks,
    same_outcome,
    sums,
    text_checks,
)
from sparring.probes.acts import (
    ASKS_FOR_ANOTHER,
    adds_another,
    affirms,
    asks_to_confirm,
    ids_in,
    masked,
    says_done,
    settles,
    total_of,
    turns_down,
)
from sparring.probes.answerer import PERSON
from sparring.probes.asking import is_more
from sparring.probes.domain import PERSONAL
from sparring.probes.examples import INTRODUCED
from sparring.probes.found import (
    AnsweredTurn,
    Found,
    around,
    exactly,
    finding,
    questions_in,
    replies_in,
    short,
    stating,
)
from sparring.probes.invitations import invitations, without_buttons
from sparring.probes.lines import answer_to, lines_of
from sparring.probes.notes import Notes
from sparring.probes.offers import (
    FEE,
    Choice,
    asks_for_change,
    listed,
    offered_in,
    priced_in,
    without_list,
)

_FIRST_TURNS = 2
"""Turns in which nothing can have been done yet."""

_YES_TO = re.compile(r"(?P<about>[^\n;,:.?!]{2,40}): ?(?:yes|ja|s[ií]|oui|sim|да)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_LATER = re.compile(r"^turn \d+: ")


Check = Callable[[Conversation, Sequence[AnsweredTurn], Notes], Iterator[Found]]


def find(conversation: Conversation, notes: Notes, built_in: Sequence[Verdict] = ()) -> list[Found]:
    """Return the bugs in a conversation; `built_in` are failures of the built-in checks."""
    replies = list(replies_in(conversation))
    notes = notes.up_to(len(replies))
    found = [each for check in _CHECKS for each in check(conversation, replies, notes)]
    for verdict in built_in:
        said = [(conversation.turn_of(each.at), short(each.text)) for each in verdict.evidence]
        title = BUILT_IN_TITLES.get(verdict.check) or short(_LATER.sub("", verdict.reason)).capitalize()
        turn = said[-1][0] if said else 1
        found.append(Found(verdict.check, title, turn, tuple(said), certain=not notes.day, built_in=True))
    return found


def _taken(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations that name another option than the one that was taken."""
    if notes.changed is not None or notes.cancelled is not None or notes.several:
        return
    stated = fold(" ".join(each.text for each in replies))
    for each in replies:
        text = without_list(each.text)  # the menu after what was done
        if not (asks_to_confirm(each.text) or says_done(text)) or len(offered_in(text, notes.language)) > 1:
            continue
        if each.turn == notes.aside or any(priced_in(text)) or INTRODUCED.search(text):
            continue  # an answer, a list of prices, or an example of what to say
        made = [choice for choice in notes.choices if choice.turn <= each.turn and _was_offered(choice, replies)]
        done = max((said.turn for said in replies[: each.turn - 1] if says_done(said.text)), default=0)
        for choice in [choice for choice in made if choice.turn >= done] or made:  # of the task that goes on
            others = [other for other in choice.others if not other.isdigit() and affirms(text, other)]
            if choice.options == notes.domain.tasks:  # "Prices" is not "the monthly price"
                others = [other for other in others if fold(other) in fold(text)]
            said = [*(reply.asked for reply in replies[: each.turn]), *(one.taken for one in notes.choices)]
            if any(mentions(text, other) for other in others for text in said):
                continue  # the user took it as well
            if re.search(rf"\b(?:which|what)(?: kind of| type of)? {re.escape(fold(choice.taken))}", stated):
                continue  # "Which service do you need?": it was no value
            own = stems(choice.taken) - stems(others[0]) if len(others) == 1 else set()
            if own and not stems(text) & own:
                title = f"The chatbot names “{others[0]}” where “{choice.taken}” was taken"
                yield finding("taken", title, each, unwanted=stating(each.text, others[0]))
                return


def _was_offered(choice: Choice, replies: Sequence[AnsweredTurn]) -> bool:
    """Return True if the reply that asked for a choice names its options; others are known from elsewhere."""
    asked = [each.text for each in replies if each.turn in (choice.turn - 1, choice.turn)]
    return any(all(mentions(text, each) for each in choice.options) for text in asked)


def _flipped(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find what is to confirm or done with a yes to what the user answered with no."""
    no = lines_of(notes.language)["not_so"]
    asked = [question for question, answer in notes.given.items() if answer == no]
    for each in replies if asked else ():
        for found in _YES_TO.finditer(each.text) if settles(each.text) else ():
            if any(stems(found["about"]) & stems(question) for question in asked):
                title = f"The chatbot notes “{found[0].strip()}” where the user said no"
                yield finding("taken", title, each, unwanted=exactly(found[0].strip()))
                return


def _price(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find amounts that are charged and differ from the total stated last, and fees that were not stated."""
    if notes.changed is not None or notes.added is not None:
        return
    stated = [(each, amount) for each in replies if (amount := total_of(each.text)) is not None]
    agreed = [(replies[turn - 2], replies[turn - 1]) for turn in notes.yeses if 1 < turn <= len(replies)]
    pairs = [(before, earlier, after, later) for (before, earlier), (after, later) in pairwise(stated)]
    for before, after in agreed:
        one, other = sums.only_amount(before.text), sums.only_amount(after.text)
        if one and other and (total_of(before.text) or not before.asks):
            pairs.append((before, one, after, other))
    for before, earlier, after, later in pairs:
        changed = after.turn - before.turn > 1 or len(tokens(after.asked)) > 4 or _DIGIT.search(after.asked)
        if (
            changed
            or sums.decimal(earlier) == sums.decimal(later)
            or sums.PART.search(fold(f"{before.text} {after.text}"))
        ):
            continue
        if notes.reports(after.text) or (before, after) in agreed:
            amount = exactly(str(typed_values.find("money", after.text)[-1].value))
            title = "The charge differs from the price stated"
            found = finding("price", title, before, after, unwanted=amount)
            said = sums.stated_as(before.text, earlier)
            quotes = ((before.turn, around(before.text, said)), *found.quotes[1:])
            yield replace(found, if_said=said, quotes=quotes)
            return
    for before, after in pairwise(replies):
        if not (asks_to_confirm(before.text) and notes.reports(after.text)) or asks_to_confirm(after.text):
            continue  # or it states the fee before the yes
        for sentence in sentences(after.text):
            amounts = [str(each.value) for each in typed_values.find("money", sentence.text)]
            earlier_text = " ".join(each.text for each in replies if each.turn < after.turn)
            if (
                FEE.search(fold(sentence.text))
                and any(each not in earlier_text for each in amounts)
                and not is_denial(sentence.text)
            ):
                yield finding(
                    "fee", "A fee is charged that was not stated", before, after, unwanted=exactly(amounts[0])
                )
                return


_AGAIN = re.compile(
    r"\b(?:another|(?:once )?again|a second|one more|noch ein(?:en|e|mal)?|otr[ao]|encore une?|un'altr[ao]|outr[ao])\b"
    r"|\bеще\b"
    r"|\b(?:now have|haben (?:sie )?(?:jetzt|nun)|tiene ahora|avez maintenant|ha ora) (?:[2-9]|two|zwei|dos|deux|due)\b"
)
"""Words of a reply that reports something as done once more."""


def _double(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a second order or charge after a second yes."""
    if notes.confirmed is None or notes.changed is not None:
        return
    first = next((each for each in replies if each.turn == notes.confirmed), None)
    if first is None:
        return
    known = ids_in(first.text)
    for each in (reply for reply in replies if reply.turn > notes.confirmed):
        new = ids_in(each.text) - known
        same = masked(each.text) == masked(first.text)
        between = [one for one in replies if notes.confirmed <= one.turn < each.turn]
        asked = any(is_yes_or_no_question(one) for reply in between for one in questions_in(reply.text))
        if new and (same or (known and not each.asks and not asked)):
            yield finding("double", "A second yes does it again", first, each)
            return
        stated = fold(" ".join(said.text for said in sentences(each.text) if not invitations(said.text)))
        if says_done(each.text) and _AGAIN.search(stated) and not (each.asks or turns_down(each.text)):
            yield finding("double", "A second yes does it again", first, each)
            return
        if same and notes.reports(each.text) and not known:  # the same number: nothing changed
            yield finding("double", "A second yes gets the same confirmation again", first, each, certain=False)
            return


def _comes_back(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find an order that is done, and that the chatbot offers to confirm again after a goodbye."""
    done = any(notes.reports(each.text) for each in replies if each.turn == notes.confirmed)
    for each in replies:
        if done and notes.left and each.turn > notes.left and asks_to_confirm(each.text) and not refuses(each.text):
            known = [*(choice.taken for choice in notes.choices), *notes.given.values()]
            if any(mentions(each.text, value) for value in known):
                yield finding("back", "After a goodbye, the finished order comes back", each, certain=False)
                return


def _keeps_values(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find questions that are asked again although they were answered before an aside or a correction."""
    begun = notes.aside or notes.changed
    if begun is None:
        return
    if notes.aside and _still_knows(replies, notes, begun):
        return
    last = next((each.text for each in replies if each.turn == begun - 1), "")
    if refuses(last) or any(ASKS_FOR_ANOTHER.search(each) for each in questions_in(last, True)):
        return  # it asked before the last answer, which it refused
    if notes.opening and any(each.asked == notes.opening for each in replies if each.turn >= begun):
        return  # the user has begun something else
    texts = {each.turn: without_buttons(each.text) for each in replies}
    asked = [question for each in replies if each.turn < begun for question in questions_in(texts[each.turn], True)]
    if notes.changed and asks_to_confirm(last) and not settles(replies[begun - 1].text):
        return  # the correction was not understood
    if any(asks_for_change(each.text) for each in replies if each.turn >= begun):
        return  # the user named what to change, and the chatbot asks for it
    if any(adds_another(each.text) for each in replies if each.turn >= begun):
        return  # it asks the same of the next one
    corrected = [fold(each.question) for each in notes.choices if notes.old in each.options]
    lost: dict[str, bool] = {}
    for before, answered_by in pairwise(replies):  # a yes leads to details, and "menu" to all there is
        words = {word.said for word in invitations(before.text)}
        if before.turn != notes.aside and (answered_by.asked in words or starts_with_yes_or_no(answered_by.asked)):
            corrected += questions_in(texts[before.turn], True)
        if answered_by.turn < begun:
            lost |= dict.fromkeys(questions_in(texts[before.turn], True), is_fallback(answered_by.text))
    corrected += [question for question, is_lost in lost.items() if is_lost]
    answered = [
        each
        for each in asked[:-1]
        if each not in (asked[-1], *corrected)
        and not (is_yes_or_no_question(each) and answer_to(each, 0) is None)
        and not (asks_to_confirm(each) or asks_for_more(each))
        and len(tokens(each)) > 1
        and not is_more(re.split(r"[,/]", each)[0])
    ]
    for each in replies:
        again = [question for question in questions_in(texts[each.turn], True)[-1:] if question in answered]
        if (
            notes.changed
            and mentions(each.text, notes.new)
            and (mentions(each.text, notes.old) or day_checks.names_another(each.text))
        ):
            continue  # it asks for the option that was corrected, or says why: "9:00 is taken on Monday"
        if any(notes.reports(said.text) for said in replies[begun - (0 if notes.aside else 1) : each.turn]):
            return  # it is done, and the menu comes again
        if each.turn >= begun and again:
            after = "question in between" if notes.aside else "correction"
            title = f"After a {after}, the chatbot asks again for what was said"
            greeted = any(said.turn == begun and "?" not in said.asked for said in replies)
            menu = len(listed(each.text)) > 1 or (notes.aside is not None and greeted)  # of tasks, or a greeting
            menu = (menu or is_fallback(each.text)) and again[0] in questions_in(replies[0].text, True)
            part = set(tokens(again[0])) & set(tokens(asked[-1]))  # "And where to?" after "From where to where?"
            certain = not menu and notes.again is None and 2 * len(part) < len(set(tokens(asked[-1])))
            first = next(at for at, said in enumerate(replies) if again[0] in questions_in(texts[said.turn], True))
            greeting = questions_in(texts[replies[0].turn], True)[-1:]
            if first and any(questions_in(texts[said.turn], True)[-1:] == greeting for said in replies[first:begun]):
                return  # that task was at its end
            shown = [*replies[first + 1 : begun - 1][:1], each]
            yield finding("forgets", title, *shown, certain=certain, unwanted=stating(each.text, again[0]))
            return


def _still_knows(replies: Sequence[AnsweredTurn], notes: Notes, begun: int) -> bool:
    """Return True if a later reply has all options taken before a turn, and the user said none again."""
    before = "\n".join(each.asked for each in replies if each.turn < begun)
    after = "\n".join(each.asked for each in replies if each.turn > begun)
    taken = [choice.taken for choice in notes.choices if mentions(before, choice.taken)]
    known = any(settles(each.text) and all(affirms(each.text, one) for one in taken) for each in replies[begun:])
    return bool(taken) and known and not any(mentions(after, each) for each in taken)


def _knows(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find replies with what only the user of another conversation said."""
    said = ""
    for each in replies:
        said += f"\n{each.asked}"
        begun = each.turn <= _FIRST_TURNS and not any(turn <= each.turn for turn in notes.yeses)
        ids = (ids_in(each.text) & notes.domain.ids) - notes.domain.public if begun else set()
        known = any(value in said for value in PERSONAL)  # an address may be on file for a name
        personal = PERSONAL if known else PERSONAL | {str(PERSON["address"])}
        for value in sorted(ids | ((personal & notes.domain.given) - notes.domain.public)):
            if value in each.text and value.casefold() not in said.casefold():
                title = f"The chatbot knows “{value}”, which was said in another conversation"
                yield finding("sessions", title, each, unwanted=exactly(value))
                return


_CHECKS: tuple[Check, ...] = (
    text_checks.crash,
    text_checks.language,
    text_checks.came_back,
    correction_checks.last_value,
    correction_checks.keeps_others,
    correction_checks.follows_price,
    restart_checks.starts_over,
    restart_checks.same_number,
    restart_checks.stays_taken,
    restart_checks.other_customer,
    restart_checks.cancelled_early,
    number_checks.counted,
    _taken,
    _flipped,
    restart_checks.cancelled,
    restart_checks.cancelled_done,
    restart_checks.still_asks,
    restart_checks.unasked,
    _price,
    sums.other_price,
    sums.wrong_sum,
    sums.single_price,
    sums.two_prices,
    sums.mixed_sum,
    sums.extra_twice,
    number_checks.quantity,
    number_checks.swapped,
    _double,
    _comes_back,
    _keeps_values,
    answer_checks.takes_question,
    answer_checks.takes_answers,
    answer_checks.takes_small_letters,
    answer_checks.takes_email,
    recall_checks.same_fact,
    recall_checks.recalled,
    recall_checks.same_number,
    recall_checks.cancelled_again,
    recall_checks.keeps_date,
    _knows,
    record_checks.recorded,
    record_checks.added,
    record_checks.done_twice,
    record_checks.never_done,
    record_checks.mixed_up,
    record_checks.other_number,
    day_checks.other_day,
    day_checks.other_date,
    day_checks.keeps_word,
    day_checks.ruled_out,
    day_checks.open_day,
    day_checks.moved_day,
    day_checks.ruled_out_time,
    same_outcome.same_outcome,
    arithmetic.sums_up,
    arithmetic.nights,
    arithmetic.keeps_relation,
    arithmetic.negative,
    arithmetic.thousands,
    limits.beyond,
    limits.late,
    limits.age,
    record_checks.other_contact,
    restart_checks.denied,
    text_checks.obeys,
    text_checks.leaks,
    text_checks.agrees_to_nonsense,
    text_checks.markup,
    text_checks.unfilled,
    text_checks.cut,
    text_checks.repeats,
)
