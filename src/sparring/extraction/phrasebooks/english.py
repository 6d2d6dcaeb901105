"""English phrasebook."""

import re

from sparring.extraction.phrasebooks.phrasebook import Phrasebook, starts_with
from sparring.extraction.tokens import pattern

ENGLISH = Phrasebook(
    want=("I'd like {}.", "I would like {}, please.", "Can I have {}, please?"),
    want_to=("I'd like to {}.", "I want to {}, please."),
    again=("Sorry, I meant: {}.", "Let me put it another way: {}.", "{}"),
    value=("{}", "{}, please."),
    tell=("Could you tell me {}?", "Can you tell me {}, please?", "What is {}?"),
    yes=("Yes, please.", "Yes, that's right."),
    no=("No, thank you.", "No, thanks."),
    wrong=("No, that is not right. {}", "No, you got that wrong. {}"),
    that_is_all=("No, that is all, thank you.", "No, nothing else, thanks."),
    one=("One, please.", "Just one."),
    any_will_do=("I don't mind.", "Whatever you suggest."),
    goodbye=("Thank you, goodbye.", "Thanks, bye."),
    unknown=("I don't have that.", "I don't know that, sorry."),
    wait=("OK.", "OK, I'll wait."),
    handed_over=("OK, thank you, goodbye.", "All right, thanks, bye."),
    why=("Why is that?", "Why not?"),
    able=("Can you help me with this at all: {}?", "Is this something that you can do: {}?"),
    without=("Then no {}, thanks.", "Then I'll do without {}, thanks."),
    instead=("Then {}, please.", "All right, I'll take {}."),
    misheard=("No, {}.", "No, I said {}."),
    not_wanted=("No, I did not ask for {}.", "No, I don't want {}."),
    too_expensive=("No, that is more than I want to spend.",),
    openers=(
        "Thank you so much for taking the time to read all of this.",
        "I have been thinking about it for quite a while now.",
        "It has been quite a day, so please bear with me.",
        "My neighbour told me only this morning that I had better write to you myself.",
    ),
    closers=(
        "I hope I have put it clearly enough for you.",
        "It would really make my day, because I have looked forward to it all week.",
        "Please answer me whenever it suits you, even if it takes a while.",
        "I am sorry for writing at such length, that is just the way I am.",
    ),
    change=("Actually, please change {old} to {new}.", "On second thoughts, change {old} to {new}, please."),
    change_back=("Sorry, please change {old} back to {new}.", "No, wait, please change {old} back to {new}."),
    and_="and",
    order_words=starts_with("first second third fourth firstly secondly thirdly then next finally lastly afterwards"),
    verbs=starts_with(
        "order request ask book get know check make find cancel change buy reserve schedule transfer see return report"
        " send track talk learn have set arrange add remove open close pay apply register update visit"
    ),
    statement=pattern(
        r"(?:the|my|this|that|it|i|we)\b(?: [^ ]+){0,4} (?:is|are|am|has|have|was|were|should|must|needs?)\b"
    ),
    correct=pattern(
        r"is (?:that|this|it|everything|all of (?:that|this)) (?:correct|right|ok|okay|fine|all right)",
        r"(?:correct|right) ?\?",
    ),
    confirm=pattern(
        r"to confirm\b",
        r"is (?:that|this|it|everything) (?:correct|right|ok|okay|fine|all right)",
        r"(?:correct|right|sure|go ahead|ok(?:ay)?|confirm) ?\?",
        r"(?:shall|should) i",
        r"do you (?:want|wish) (?:me )?to (?:confirm|proceed|place|continue|go ahead)",
        r"(?:can|could|do|would) you (?:please )?(?:like to )?(?:confirm|agree)",
        r"ready to (?:order|confirm|proceed|place)",
        r"would you like (?:me )?to (?:confirm|proceed|place|continue|go ahead|finali[sz]e|submit|book|complete)",
    ),
    more=pattern(
        r"any(?:thing| other)\b.*\b(?:else|more|order|question|add|help)",
        r"(?:something|what) else",
        r"else\b.*\?",
        r"any other",
        r"more for you",
        r"add (?:anything|something)",
    ),
    how_many=pattern(r"how many\b", r"what (?:quantity|number)\b"),
    offer=pattern(
        r"would you (?:also )?like\b",
        r"do you (?:also )?(?:want|need)\b",
        r"can i (?:get|offer|interest)\b",
        r"(?:care for|how about|fancy)\b",
    ),
    request=pattern(
        r"please (?:tell|give|enter|provide|specify|choose|select|indicate|send|type|state|confirm|let)\b",
        r"let me know\b",
        r"(?:i|we)(?:'ll| will)? need (?:your|to know|the)\b",
        r"may i have\b",
        r"(?:tell|give) me\b",
    ),
    options=pattern(r"or\b"),
    or_="or",
    facts={
        "name": "My name is {}.",
        "phone": "You can reach me on {}.",
        "email": "My email address is {}.",
        "address": "My address is {}.",
        "age": "I am {}.",
        "birth_date": "I was born on {}.",
        "availability": "I am free {}.",
        "budget": "I can spend up to {}.",
    },
    asides={
        "why_asked": ("Why do you ask?",),
        "doubt": (
            "I hope I can rely on that.",
            "We will see about that.",
        ),
        "newcomer": (
            "This is all new to me.",
            "I have never done this before.",
        ),
        "curt": (
            "Listen.",
            "Now pay attention.",
        ),
        "please": ("please",),
        "thanks": (
            "Thank you.",
            "Thank you very much.",
        ),
        "hurry": (
            "I am in a hurry.",
            "I don't have much time.",
        ),
        "too_long": (
            "That was far too long for me.",
            "Please keep it short.",
        ),
        "complaint": (
            "That is ridiculous.",
            "This is a waste of my time.",
        ),
        "why_needed": ("What do you need that for?",),
        "sure": ("Are you sure?",),
        "why": ("Why is that?",),
        "meaning": (
            "Sorry, what does {} mean?",
            "What is {}, please?",
        ),
        "remark": (
            "It has been raining here all day.",
            "I was just telling a friend about this.",
        ),
        "hesitation": (
            "Well, let me think.",
            "Er, I am not quite sure how to put it.",
        ),
    },
    courtesy=re.compile(r"(?i),? ?\b(?:please|thank you(?: very much)?|many thanks|thanks)\b,? ?"),
)
