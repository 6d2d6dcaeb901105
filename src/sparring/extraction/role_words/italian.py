"""Italian words in which users are described."""

from sparring.extraction.role_words.role_words import RoleWords, matching, words

_ARE = r"(?:sei|lei è|io sono)"
_ID = r"ordine|conto|prenotazione|cliente|polizza|pratica|biglietto|fattura|spedizione|passaporto|tessera"
_SAYINGS = r"(?:frasi|risposte|messaggi|domande|testi)"

ITALIAN = RoleWords(
    named=matching(
        r"(?:il (?:tuo|suo|mio)) nome (?:completo )?è",
        r"(?:ti chiami|si chiama|mi chiamo)",
        r"(?:cliente|utente|persona|donna|uomo|studente|studentessa|paziente)(?:,)? (?:di nome|che si chiama)",
    ),
    are=matching(_ARE),
    not_names=words("italiano italiana inglese francese tedesco tedesca spagnolo spagnola un una il la non"),
    persons=matching(r"(?:un|una|un') ?(?:\w+ ){0,2}(?:cliente|utente|persona|donna|uomo|studente|studentessa)\b"),
    own=matching(r"(?:il tuo|la tua|il suo|la sua|il mio|la mia) ((?:[\w'-]+ ){0,3}[\w'-]+) è(?: il| la)? "),
    has_called=matching(r"(?:hai|ha|ho) (?:un|una) (?:\w+ )?(\w+) (?:di nome|che si chiama|chiamat[oa]) "),
    address=matching(r"(?:abiti|vivi|abito|vivo) (?:in|a) ", r"indirizzo (?:è|:) ", r"consegnare (?:in|a) "),
    street=matching(
        r"(?:via|viale|piazza|corso|largo|vicolo|strada|lungomare) (?:[\w'-]+ ){0,4}[\w'-]+,? (?:n\.? ?)?\d{1,4}"
    ),
    age=matching(r"(?:hai|ha|ho|età è|età:) (\d{1,3}) anni\b", r"di (\d{1,3}) anni\b"),
    born=matching(r"(?:nat[oa]|data di nascita|compleanno)\b"),
    budget=matching(r"(?:al massimo|non più di|fino a|budget (?:di|è|è di|:)|massimo di|spendere più di|limite di) $"),
    code=matching(
        rf"(?:numero |codice )?(?:d'|di |dell'|del |della )?({_ID})(?: (numero|n\.?|codice))?:?(?: è)?(?: il| la)? #?$"
    ),
    available=matching(r"(?:liber[oa]\b|disponibil)", r"(?:puoi|può|posso) (?:venire|passare)", r"hai tempo"),
    weekdays=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabat[oi]", "domenic(?:a|he)"),
    day_groups={
        r"giorni feriali|durante la settimana": (0, 1, 2, 3, 4),
        r"fine settimana": (5, 6),
        r"(?:ogni giorno|tutti i giorni|qualsiasi giorno)": tuple(range(7)),
    },
    parts_of_day={
        r"mattin[ae]|mattino": (6 * 60, 13 * 60),
        r"pomeriggi[o]?": (13 * 60, 19 * 60),
        r"(?:di|la) sera|serat[ae]": (18 * 60, 23 * 60),
    },
    after=r"(?:dopo|a partire)(?: le| dalle)?",
    before=r"(?:prima|entro|fino)(?: delle| le| alle)?",
    between=r"(?:tra|fra|dalle)(?: le)?",
    except_=r"(?:non|mai|tranne|eccetto)(?: il| di| la)?",
    late=r"(?:del pomeriggio|di sera)",
    asked={
        "email": matching(r"e-?mail|posta elettronica"),
        "phone": matching(r"telefono|cellulare|recapito|(?:contattar|richiamar|raggiunger)(?:la|ti)\b"),
        "birth_date": matching(r"data di nascita|compleanno|quando è nat[oa]"),
        "age": matching(r"(?:che|sua|tua) età\b|quanti anni"),
        "address": matching(r"indirizzo\b|codice postale|dove (?:abita|vive|dobbiamo|devo)"),
        "id": matching(
            rf"(?:numero|codice|riferimento) (?:di |d'|dell'|del |della )?(?:suo |sua |tuo |tua )?({_ID})\b"
        ),
        "budget": matching(r"budget", r"quanto .{0,30}\b(?:spendere|pagare)\b"),
        "name": matching(
            r"(?:suo|tuo|il|che|quale|qual è il suo) (?:cog)?nome\b",
            r"come (?:si chiama|ti chiami)",
            r"con chi (?:parlo|sto)",
            r"a nome di chi",
        ),
        "availability": matching(
            r"(?:quando|che giorno|quale giorno|a che ora|che data)",
            r"disponibil",
            r"(?:le|ti) (?:va bene|andrebbe bene)",
        ),
    },
    not_own_name=matching(r"nome (?:del prodotto|utente|della ditta|del suo|della sua)"),
    nouns={
        "name": matching(r"nome(?: \w+)?$"),
        "email": matching(r"(?:e-?mail|indirizzo e-?mail)$"),
        "phone": matching(r"(?:numero di )?(?:telefono|cellulare)$"),
        "birth_date": matching(r"(?:data di nascita|compleanno)$"),
        "address": matching(r"indirizzo$"),
        "age": matching(r"età$"),
        "budget": matching(r"budget(?: \w+)?$"),
        "id": matching(rf"(?:numero|codice) (?:di |d'|del |della |dell')?(?:{_ID})$"),
        "availability": matching(r"disponibilità$"),
        "": matching(r"(?:ruolo|obiettiv[oi]|compito|tono|stile|domand[ae]|rispost[ae]|messaggi[o]?|frasi)(?: \w+)*$"),
    },
    negation=matching(r"(?:non|mai|senza|né|evita)\b"),
    manners={
        "terse": matching(
            rf"{_SAYINGS} (?:\w+ e )?(?:brevi|cort[ie]|dirett[ie]|semplici|concis[ie])|brevi {_SAYINGS}|laconic"
            rf"|concis[oa]\b"
            r"|poche parole|sì o no\b|espert[oa]\b|di poche parole"
        ),
        "wordy": matching(rf"chiacchieron|parli (?:molto|troppo)|{_SAYINGS} (?:\w+ )?lungh[ei]|dettagliat|prolis"),
        "formal": matching(r"formal|educat|cortes|gentil|ringrazi"),
        "rude": matching(r"maleducat|scortes|arrabbiat|insult|aggressiv|sgarbat|ostil|irritabil"),
        "impatient": matching(r"fretta\b|impazient|stressat|urgent|poco tempo"),
        "vague": matching(r"vag[oa]\b|smemorat|distratt|timid|insicur|disorganizzat|indecis"),
        "sceptical": matching(r"scettic|diffid|dubbi\b|sospettos"),
        "curious": matching(r"curios|sapere (?:il )?perché|molte domande"),
        "confused": matching(
            r"confus[oa]\b|anzian[oa]\b|di (?:ottanta|settanta|\d\d) anni|(?:poco|nulla|niente) .{0,20}tecnologia"
        ),
        "flexible": matching(r"flessibil|accetti (?:qualsiasi|un'altr|altr)|apert[oa] a"),
        "insistent": matching(r"insist|testard|ostinat|non (?:accetti|ti accontenti)"),
        "adversarial": matching(
            r"inganna|trucc|gratis\b|manipol|minacci|parlare con (?:il|un) (?:responsabile|direttore)"
        ),
    },
    hold=matching(
        rf"{_ARE} un(?:a|')? ?(?:utente|cliente|persona)\b",
        r"non (?:agire|comportarti) mai come",
        r"non chiedere (?:altro|nulla|niente)",
    ),
    kinds={"cane": "animale", "cagna": "animale", "gatto": "animale", "gatta": "animale"},
)
