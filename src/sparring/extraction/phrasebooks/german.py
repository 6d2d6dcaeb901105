"""German phrasebook."""

import re

from sparring.extraction.phrasebooks.phrasebook import Phrasebook, starts_with
from sparring.extraction.tokens import pattern

GERMAN = Phrasebook(
    want=("Ich möchte {}.", "Ich möchte bitte {}.", "Ich möchte gern {}."),
    want_to=("Ich möchte {}.", "Ich möchte gern {}."),
    again=("Entschuldigung, ich meinte: {}.", "Ich sage es anders: {}.", "{}"),
    value=("{}", "{}, bitte."),
    tell=("Können Sie mir sagen, {}?", "Könnten Sie mir bitte sagen, {}?", "Wie lautet {}?"),
    yes=("Ja, bitte.", "Ja, das stimmt."),
    no=("Nein, danke.", "Nein, das ist nicht nötig, danke."),
    wrong=("Nein, das stimmt nicht. {}", "Nein, so ist es nicht. {}"),
    that_is_all=("Nein, das ist alles, danke.", "Nein, sonst nichts, danke."),
    one=("Nur einmal, bitte.", "Einmal."),
    any_will_do=("Das ist mir gleich.", "Ganz wie Sie meinen."),
    goodbye=("Danke, auf Wiedersehen.", "Vielen Dank, tschüss."),
    unknown=("Das habe ich leider nicht.", "Das weiß ich leider nicht."),
    wait=("In Ordnung.", "In Ordnung, ich warte."),
    handed_over=("In Ordnung, danke, auf Wiedersehen.", "Alles klar, vielen Dank, tschüss."),
    why=("Warum ist das so?", "Warum nicht?"),
    able=("Können Sie mir dabei überhaupt helfen: {}?", "Machen Sie so etwas: {}?"),
    without=("Dann verzichte ich darauf ({}), danke.", "Dann eben nicht ({}), danke."),
    instead=("Dann {}, bitte.", "Gut, ich nehme {}."),
    misheard=("Nein, {}.", "Nein, ich sagte {}."),
    not_wanted=("Nein, das wollte ich nicht: {}.", "Nein, darum ging es nicht: {}."),
    too_expensive=("Nein, das ist mehr, als ich ausgeben möchte.",),
    openers=(
        "Vielen Dank, dass Sie sich die Zeit nehmen, das alles zu lesen.",
        "Ich denke schon eine ganze Weile darüber nach.",
        "Das alles ist etwas verworren, haben Sie also bitte etwas Geduld mit mir.",
        "Meine Nachbarin meinte erst heute früh, ich solle Ihnen am besten selbst schreiben.",
    ),
    closers=(
        "Ich hoffe, das war verständlich genug.",
        "Das würde mir wirklich den Tag retten, denn ich freue mich schon die ganze Woche darauf.",
        "Antworten Sie mir, wann immer es Ihnen passt, auch wenn es dauert.",
        "Bitte sehen Sie mir nach, dass ich so ausführlich schreibe, das ist meine Art.",
    ),
    change=("Ach, bitte ändern Sie {old} in {new}.", "Nach kurzem Überlegen: bitte {new} statt {old}."),
    change_back=("Entschuldigung, doch wieder {new} statt {old}.", "Nein, Moment, bitte doch {new} statt {old}."),
    and_="und",
    order_words=starts_with("erstens zweitens drittens zuerst dann danach anschließend zuletzt schließlich"),
    verbs=starts_with(
        "bestellen anfragen fragen reservieren buchen wissen erfahren prüfen finden stornieren ändern kaufen bekommen"
        " bezahlen zahlen senden schicken sprechen anmelden zurückgeben umtauschen melden verfolgen haben vereinbaren"
        " hinzufügen entfernen eröffnen schließen verlängern verschieben kündigen sperren überweisen mieten"
    ),
    statement=pattern(
        r"(?:der|die|das|mein|meine|ich|wir|es|dies|diese|dieser)\b(?: [^ ]+){0,4} "
        r"(?:ist|sind|bin|hat|habe|haben|war|waren|soll|sollen|muss|müssen|brauche|brauchen)\b",
        r"(?:ich|wir) (?:bin|habe|haben|sind|muss|müssen|brauche|brauchen|will|wollen|möchte|möchten|würde)\b",
    ),
    correct=pattern(
        r"(?:ist|stimmt|passt) (?:das|alles|es)(?: alles)? ?(?:so|richtig|korrekt|in ordnung|ok|okay)? ?\?",
        r"(?:richtig|korrekt|stimmt(?:'s|s)?) ?\?",
    ),
    confirm=pattern(
        r"zur (?:bestätigung|sicherheit|kontrolle)",
        r"(?:ist|stimmt|passt|wäre|sind) (?:das|alles|es|die \w+|ihre \w+)(?: alles)?(?: so)?"
        r" ?(?:richtig|korrekt|in ordnung|ok|okay|recht|so)? ?\?",
        r"(?:richtig|korrekt|stimmt(?:'s|s)?|einverstanden|sicher|in ordnung|okay|ok|recht so) ?\?",
        r"(?:soll|sollen|darf|dürfen|kann) (?:ich|wir) (?:[^ ]+ ){0,8}(?:bestätigen|buchen|bestellen|aufgeben"
        r"|abschicken|absenden|fortfahren|reservieren|eintragen|abschließen|stornieren|ändern|weitermachen"
        r"|vormerken|ausführen|übernehmen|anlegen|veranlassen)",
        r"(?:möchten|wollen|würden|können|könnten) sie (?:[^ ]+ ){0,6}(?:bestätigen|fortfahren|abschließen|absenden"
        r"|abschicken|verbindlich)",
        r"bestätigen sie\b",
        r"sind sie (?:damit |sich )?(?:einverstanden|sicher)",
    ),
    more=pattern(
        r"sonst noch\b",
        r"noch (?:etwas|was|weitere\w*)\b",
        r"(?:etwas|was) (?:anderes|weiteres|noch)\b",
        r"(?:weitere|andere) (?:fragen|wünsche|anliegen|artikel)",
        r"etwas hinzufügen",
        r"(?:war|ist|wäre) das alles ?\?",
    ),
    how_many=pattern(r"wie ?viele?\b(?! (?:kostet|kosten|geld|zeit))", r"welche (?:menge|anzahl)\b"),
    offer=pattern(
        r"(?:möchten|wollen|wünschen|brauchen|benötigen|möchtest|willst|hätten) (?:sie|du)\b",
        r"(?:darf|kann) (?:ich|es|ihnen|wir) (?:[^ ]+ ){0,2}(?:anbieten|sein|bringen)\b",
        r"(?:darf|dürfte) es (?:auch )?(?:noch )?",
        r"wie wäre es mit\b",
        r"hätten sie (?:gern|lust)\b",
    ),
    request=pattern(
        r"(?:nennen|sagen|geben|teilen|schreiben|senden|schicken|wählen|tippen|beschreiben|hinterlassen|verraten"
        r"|bestätigen|ergänzen) sie\b",
        r"bitte (?:[^ ]+ ){0,6}(?:angeben|eingeben|nennen|mitteilen|auswählen|wählen|senden|schicken|eintragen)\b",
        r"(?:ich|wir) (?:brauche|brauchen|benötige|benötigen|bräuchte|bräuchten) (?:noch |dazu |dafür |bitte )*(?:ihr"
        r"|ihre|ihren|die|den|das|eine|einen|ein)\b",
        r"(?:es )?fehlt (?:mir |uns )?noch (?:ihr|die|der|das)",
    ),
    options=pattern(r"oder\b"),
    or_="oder",
    facts={
        "name": "Mein Name ist {}.",
        "phone": "Sie erreichen mich unter {}.",
        "email": "Meine E-Mail-Adresse ist {}.",
        "address": "Meine Adresse ist {}.",
        "age": "Ich bin {} Jahre alt.",
        "birth_date": "Mein Geburtsdatum ist {}.",
        "availability": "Mir passt: {}.",
        "budget": "Ich kann bis zu {} ausgeben.",
    },
    asides={
        "why_asked": ("Warum fragen Sie?",),
        "doubt": ("Ich hoffe, darauf ist Verlass.", "Na, wir werden sehen."),
        "newcomer": ("Das ist alles neu für mich.", "Das habe ich noch nie gemacht."),
        "curt": ("Hören Sie.", "Jetzt hören Sie mal zu."),
        "please": ("bitte",),
        "thanks": ("Danke.", "Vielen Dank."),
        "hurry": ("Ich habe es eilig.", "Ich habe nicht viel Zeit."),
        "too_long": ("Das war mir viel zu lang.", "Bitte fassen Sie sich kurz."),
        "complaint": ("Das ist doch lächerlich.", "Das ist reine Zeitverschwendung."),
        "why_needed": ("Wofür brauchen Sie das?",),
        "sure": ("Ist das sicher?",),
        "why": ("Warum das denn?",),
        "meaning": ("Entschuldigung, was bedeutet {}?", "Was ist {}, bitte?"),
        "remark": ("Hier regnet es schon den ganzen Tag.", "Gerade erst habe ich jemandem davon erzählt."),
        "hesitation": ("Tja, lassen Sie mich überlegen.", "Äh, ich weiß nicht recht, wie ich es sagen soll."),
    },
    courtesy=re.compile(r"(?i),? ?\b(?:bitte|vielen dank|herzlichen dank|danke schön|danke)\b,? ?"),
)
