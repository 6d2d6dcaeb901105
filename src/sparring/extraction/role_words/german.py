"""German words in which users are described."""

from sparring.extraction.role_words.role_words import RoleWords, matching, words

_ARE = r"(?:du bist|sie sind|ich bin)"
_ID = (
    r"bestellnummer|kundennummer|buchungsnummer|reservierungsnummer|kontonummer|vertragsnummer|rechnungsnummer"
    r"|ticketnummer|auftragsnummer|passnummer|bestellung|buchung|reservierung|konto|vertrag|rechnung|ticket|auftrag"
)
_SAYINGS = r"(?:sätzen?|antworten|nachrichten|fragen|texten?)"

GERMAN = RoleWords(
    named=matching(
        r"(?:dein|ihr|mein) (?:voller |vollständiger )?name (?:ist|lautet)",
        r"(?:du heißt|sie heißen|ich heiße)",
        r"(?:kunde|kundin|nutzer|nutzerin|person|frau|mann|student|studentin)(?:,)? (?:namens|mit dem namen)",
    ),
    # Nouns have capitals, too: a name is two words at the end of a clause.
    are=matching(rf"{_ARE}(?= [\w-]+ [\w-]+ ?(?:[.,;]|$|und ))"),
    not_names=words("kunde kundin der die das ein eine nicht sehr"),
    persons=matching(
        r"(?:ein|eine) (?:\w+ ){0,2}(?:kunde|kundin|nutzer|nutzerin|person|frau|mann|student|studentin)\b"
    ),
    own=matching(
        r"(?:dein|deine|ihr|ihre|mein|meine) ((?:[\w'-]+ ){0,3}[\w'-]+) (?:ist|sind|lautet)(?: der| die| das)? "
    ),
    has_called=matching(r"(?:du hast|sie haben|ich habe) (?:einen|eine|ein) (?:\w+ )?(\w+) (?:namens) "),
    address=matching(
        r"(?:wohnst|wohnen|wohne) in (?:der )?", r"(?:adresse|anschrift) (?:ist|lautet|:) ", r"lieferung an "
    ),
    street=matching(r"[\w-]+(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|ufer) \d{1,4}[a-z]?\b"),
    age=matching(r"(?:bist|sind|bin|alter ist|alter:) (\d{1,3})(?: jahre alt)?(?=$|[.,;!?]| jahre\b)"),
    born=matching(r"(?:geboren|geburtsdatum|geburtstag)\b"),
    budget=matching(
        r"(?:höchstens|maximal|nicht mehr als|bis zu|budget (?:von|ist|beträgt|liegt bei|:)|maximum von|grenze von) $"
    ),
    code=matching(rf"({_ID})(?: (nummer|nr\.?|code))?:?(?: ist| lautet)?(?: die| der| das)? #?$"),
    available=matching(
        r"(?:frei\b|verfügbar)", r"(?:kannst|können|kann) (?:nur )?(?:am|ab|nach|vor|kommen)", r"hast zeit|haben zeit"
    ),
    weekdays=(
        "montags?",
        "dienstags?",
        "mittwochs?",
        "donnerstags?",
        "freitags?",
        "samstags?|sonnabends?",
        "sonntags?",
    ),
    day_groups={
        r"wochentags?|werktags?|unter der woche": (0, 1, 2, 3, 4),
        r"wochenenden?": (5, 6),
        r"(?:jeden tag|täglich)": tuple(range(7)),
    },
    parts_of_day={
        r"vormittags?|morgens": (6 * 60, 12 * 60),
        r"nachmittags?": (12 * 60, 18 * 60),
        r"abends?": (17 * 60, 23 * 60),
    },
    after=r"(?:nach|ab|erst ab)",
    before=r"(?:vor|bis)",
    between=r"(?:zwischen|von)",
    except_=r"(?:nicht|nie|außer)(?: am| an)?",
    late=r"(?:uhr )?(?:nachmittags|abends)",
    asked={
        "email": matching(r"e-?mail"),
        "phone": matching(
            r"telefon|handy|mobilnummer|rufnummer|rückruf|(?:sie|dich) (?:erreichen|zurückrufen|anrufen)"
        ),
        "birth_date": matching(r"geburtsdatum|geburtstag|wann (?:sind sie|bist du) geboren"),
        "age": matching(r"wie alt (?:sind|bist)|ihr alter\b"),
        "address": matching(
            r"(?:adresse|anschrift)\b|\w*(?:lieferadresse|postleitzahl)|wo wohnen|wohin (?:sollen|dürfen|darf|soll)"
        ),
        "id": matching(
            rf"(?!konto\b|bestellung|buchung\b|reservierung\b|vertrag\b|rechnung\b|ticket\b|auftrag\b)({_ID})\b"
        ),
        "budget": matching(r"budget", r"wie ?viel .{0,30}\b(?:ausgeben|bezahlen)\b"),
        "name": matching(
            r"(?:ihr(?:en?|em)?|dein(?:en)?|welche[nm]|den|der|voll\w+) (?:\w+ ){0,2}(?:vor|nach|familien)?namen?\b",
            r"wie (?:heißen sie|heißt du)",
            r"mit wem (?:spreche"
            r"|habe)",
            r"auf wen\b",
        ),
        "availability": matching(
            r"(?:wann|an welche\w+ tag|welche uhrzeit|welches datum|welchen tag)",
            r"verfügbar",
            r"(?:passt|passen) (?:es )?(?:ihnen|dir)",
        ),
    },
    not_own_name=matching(r"namen? (?:des produkts|ihres (?!kontos)|der firma)|benutzername"),
    nouns={
        "name": matching(r"(?:\w+ )?name$"),
        "email": matching(r"e-?mail(?:-?adresse)?$"),
        "phone": matching(r"(?:telefonnummer|telefon|handynummer|mobilnummer)$"),
        "birth_date": matching(r"(?:geburtsdatum|geburtstag)$"),
        "address": matching(r"(?:adresse|anschrift)$"),
        "age": matching(r"alter$"),
        "budget": matching(r"budget$"),
        "id": matching(rf"(?:{_ID})$"),
        "availability": matching(r"verfügbarkeit$"),
        "": matching(r"(?:rolle|ziele?|aufgabe|ton|stil|fragen?|antworten?|nachrichten?|sätze)(?: \w+)*$"),
    },
    negation=matching(r"(?:nicht|nie|niemals|ohne|kein\w*|weder|vermeide\w*)\b"),
    manners={
        "terse": matching(
            rf"(?:kurz|knapp|einfach|direkt)\w* {_SAYINGS}|kurz angebunden|wortkarg|knapp\b|lakonisch|wenige worte"
            r"|ja oder nein\b|expert(?:e|in)\b"
        ),
        "wordy": matching(
            rf"geschwätzig|gesprächig|red\w+ (?:viel|gern)|lange\w* {_SAYINGS}|ausführlich|im detail"
            rf"|weitschweifig|plauder"
        ),
        "formal": matching(r"förmlich|formell|höflich|bedank|dankbar|freundlich\b"),
        "rude": matching(
            r"unhöflich|grob\b|wütend|verärgert|beleidig|aggressiv|feindselig|gereizt|schlecht gelaunt|patzig"
        ),
        "impatient": matching(r"eilig|in eile|ungeduldig|gestresst|dringend|(?:wenig|keine) zeit|wart\w+ nicht gern"),
        "vague": matching(r"vage\b|vergesslich|schüchtern|unsicher|unorganisiert|zerstreut|unentschlossen|unklar"),
        "sceptical": matching(r"skeptisch|misstrau|zweifel|argwöhn"),
        "curious": matching(r"neugierig|wissbegierig|wissen,? warum|viele fragen"),
        "confused": matching(
            r"verwirrt|(?:alt|älter)\w* (?:person|mann|frau|mensch)|senior|rentner|über (?:achtzig|siebzig|\d\d)"
            r"|(?:wenig|nichts|nicht viel) .{0,20}technik"
        ),
        "flexible": matching(r"flexibel|akzeptier\w+ (?:jede|auch|alles|eine andere)|offen für|zufrieden mit"),
        "insistent": matching(r"besteh\w+ (?:auf|darauf)|stur\b|hartnäckig|beharr|(?:gib|geben) nicht auf"),
        "adversarial": matching(
            r"austricks|täusch|umsonst\b|manipul|droh|(?:vorgesetzten|chef|manager) (?:sprechen|verlangen)"
        ),
    },
    hold=matching(
        rf"{_ARE} (?:ein|eine) (?:nutzer|nutzerin|kunde|kundin|person)\b",
        r"(?:verhalte dich|verhalten sie sich|handle|handeln sie) (?:nie|niemals) (?:wie|als)",
        r"(?:frag|fragen sie) (?:nie|nicht) nach",
    ),
    kinds={"hund": "haustier", "hündin": "haustier", "katze": "haustier", "kater": "haustier"},
)
