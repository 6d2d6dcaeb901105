"""German words by which replies and goals are read."""

from sparring.extraction.speech_words.speech_words import SpeechWords

GERMAN = SpeechWords(
    unknown=(
        r"(?:weiß|wissen|weiss) (?:ich|wir|das|es)?(?: \w+)? ?nicht\b",
        r"(?:habe|haben) (?:ich |wir |dazu |darüber |leider )*keine (?:information|auskunft|daten|angaben)\w*",
        r"(?:einen moment|einen augenblick|eine sekunde|eine minute|moment bitte|bitte warten|gedulden)\b",
        r"(?:ich|lassen sie mich) (?:das )?(?:kurz )?(?:prüfe|schaue|sehe|kläre|frage|nachsehen|prüfen|nachschauen)\b",
        r"(?:fehler|störung|technisches problem|außer betrieb)\b",
        r"(?:kann|können) (?:ich |wir |ihnen |das |dazu |leider |es )*nicht (?:\w+ )?(?:sagen|helfen"
        r"|beantworten|finden"
        r"|abrufen)",
        r"(?:bin|sind) (?:ich |wir )?(?:mir |uns )?nicht sicher\b",
        r"keine ahnung\b",
    ),
    denies=(
        r"(?:nicht|nein|kein\w*|nie|niemals|nichts|ohne|weder|leider|bedaure|bedauern|bedauerlicherweise)\b",
        r"(?:tut mir leid|tut uns leid|entschuldig\w+|ausverkauft|vergriffen|ausgebucht|unmöglich|geschlossen)\b",
        r"(?:nur noch|statt|außer|belegt|abgelaufen|zu spät|abgelehnt|verweiger\w+)\b",
    ),
    undone=(
        r"(?:storniert|abgesagt|abgelehnt|widerrufen|gekündigt|annulliert)\b",
        r"nicht (?:gespeichert|gebucht|bestellt|reserviert|bestätigt|möglich|durchgeführt)\b",
    ),
    agrees=(
        r"(?:ok|okay|ja|gern|gerne|klar|alles klar|in ordnung|natürlich|selbstverständlich|verstanden|sicher|sehr gut"
        r"|geht klar|wird gemacht|erledigt|perfekt)\b",
        r"(?:notiert|vermerkt|gebucht|reserviert|bestellt|bestätigt|bestätige|eingetragen|hinzugefügt|storniert"
        r"|geändert"
        r"|aufgenommen|vorgemerkt|vereinbart|angelegt)\b",
    ),
    completes=(
        r"(?:notiert|gebucht|reserviert|bestellt|bestätigt|eingetragen|storniert|geändert|aufgegeben|erledigt"
        r"|abgeschlossen|vereinbart)\b",
    ),
    requests=(
        r"(?:nennen|sagen|geben|teilen|schreiben|senden|schicken|wählen|tippen|beschreiben|hinterlassen) sie"
        r" (?:mir|uns|bitte|ihr|die|den|das|ein)\w*",
        r"bitte (?:[^ ]+ ){0,6}(?:angeben|eingeben|nennen|mitteilen|auswählen|wählen|eintragen)\b",
        r"bitte (?:nennen|sagen|geben|teilen|schreiben|senden|wählen) sie\b",
        r"(?:ich|wir) (?:brauche|brauchen|benötige|benötigen|bräuchte|bräuchten) (?:noch |dazu |dafür |bitte )*ihr",
        r"(?:drücken|antworten|tippen) sie[^.!?]{0,30} (?:um|wenn|für)\b",
    ),
    refuses=(
        r"(?:kann|können|darf|dürfen) (?:ich |wir |ihnen |das |leider |es |man |sie |diese\w* )*(?:leider )?nicht\b",
        r"(?:haben|führen|verkaufen|liefern|bieten|servieren|akzeptieren|machen|nehmen|gibt|ist|sind|geht|habe)"
        r" (?:[^ ]+ ){0,4}(?:nicht|kein\w*)\b",
        r"(?:ausverkauft|vergriffen|ausgebucht|nicht (?:mehr )?(?:möglich|verfügbar|vorrätig|erlaubt|lieferbar)"
        r"|leider (?:nicht|kein\w*|nur|ausverkauft)|unmöglich|bedauerlicherweise)\b",
    ),
    conditions=(r"(?:wenn|falls|sobald|nachdem|solange|sofern|bis)",),
    fails=(
        r"(?:serverfehler|fehler:|ein fehler ist aufgetreten|interner fehler|zeitüberschreitung)",
        r"(?:etwas ist schiefgelaufen|da ist etwas schiefgegangen|versuchen sie es später)",
    ),
    paraphrases=(
        r"(?:sie|du) (?:möchten|wollen|suchen|wünschen|hätten gern|fragen nach|möchtest|willst)\b",
        r"(?:es )?sieht so aus, als\b",
    ),
    corrects=(
        r"(?:nein|nicht|falsch|eigentlich|entschuldigung|doch|lieber|moment|ich meinte|ich sagte|stattdessen|ändern"
        r"|nach kurzem)\b",
    ),
    more=(r"(?:sonst noch|noch (?:etwas|was|weitere\w*)|etwas anderes|weitere (?:fragen|wünsche)|das alles)\b",),
    confirms=(
        r"(?:richtig|korrekt|bestätigen|bestätigung|einverstanden|stimmt (?:das|alles|so)|passt (?:das|es|so)"
        r"|in ordnung|recht so|sind sie sicher)\b",
        r"(?:soll|sollen|darf|dürfen) (?:ich|wir) (?!ihnen|sonst|noch|fragen|anbieten)",
        r"möchten sie (?:[^ ]+ ){0,5}(?:fortfahren|abschließen|verbindlich|absenden)",
    ),
    repeats=(r"(?:also,? )?(?:sie|du) (?:haben gesagt|möchten|wollen|sagten|wünschen|meinten)\b",),
    interrogative=(
        r"(?:wissen|erfahren|herausfinden)\b",
        r"(?:was|wie|wann|wo|wer|wen|wem|wessen|welche|welcher|welches|welchen|warum|wieso|wohin|woher|womit|wofür"
        r"|wieviel|wieviele)\b",
        r"(?:um wie viel uhr|ab wann|bis wann)\b",
    ),
    yes_or_no_question=(r"(?:ob|ist|sind|gibt|haben|hat|kann|können|darf|bieten|liefern|akzeptieren|nehmen) ",),
    yes_or_no=(r"(?:ja|nein|doch|natürlich|klar|sicher|selbstverständlich|leider nicht|leider nein)\b",),
    open=(
        r"(?:was|wie|wann|wo|wer|wen|wem|wessen|welche|welcher|welches|welchen|welchem|warum|wieso|wohin|woher|womit"
        r"|wofür|wieviel|wieviele)\b",
    ),
    wanted={
        "place": (
            r"(?:bestell|buch|reservier|kauf|anmeld|miet|vereinbar|hinzufüg|einschreib|registrier)(?:en?|est|t)\b",
        ),
        "cancel": (r"(?:stornier|absag|kündig|lösch|abbestell|entfern|annullier)\w*",),
        "return": (r"(?:zurückgeb|zurückschick|erstatt|rückerstatt|retour|rückgabe|zurücksend)\w*",),
        "change": (r"(?:änder(?:n|t|ung)\b|umbuch|verschieb|verleg|umtausch|tausch|aktualisier|ersetz)\w*",),
        "block": (r"(?:sperr|blockier|einfrier|deaktivier)\w*",),
        "activate": (r"(?:entsperr|aktivier|freischalt|zurücksetz)\w*",),
        "send": (r"(?:send|schick|überweis|versend|verschick|weiterleit)\w*",),
        "pay": (r"(?:zahl|bezahl|auflad|begleich)\w*",),
        "extend": (r"(?:verläng)\w*",),
    },
    reported={
        "place": (
            r"(?:bestellt|gebucht|reserviert|gekauft|eingetragen|notiert|vermerkt|vorgemerkt|angemeldet|vereinbart"
            r"|hinzugefügt|aufgenommen|aufgegeben|registriert|gemietet|angelegt)\b",
            r"(?:danke|vielen dank) für ihre (?:bestellung|buchung|reservierung)\b",
        ),
        "cancel": (r"(?:storniert|abgesagt|gekündigt|gelöscht|entfernt|annulliert|abbestellt)\b",),
        "return": (r"(?:erstattet|zurückgegeben|zurückgenommen|zurückgesandt|rückerstattet)\b",),
        "change": (r"(?:geändert|umgebucht|verschoben|verlegt|umgetauscht|getauscht|aktualisiert|ersetzt)\b",),
        "block": (r"(?:gesperrt|blockiert|eingefroren|deaktiviert)\b",),
        "activate": (r"(?:entsperrt|aktiviert|freigeschaltet|zurückgesetzt)\b",),
        "send": (r"(?:gesendet|verschickt|versandt|überwiesen|geschickt|weitergeleitet)\b",),
        "pay": (r"(?:bezahlt|gezahlt|beglichen|aufgeladen)\b",),
        "extend": (r"verlängert\b",),
    },
    any_done=(
        r"(?:erledigt|bestätigt|abgeschlossen|durchgeführt|fertig|ausgeführt|erfolgreich|bearbeitet|ich bestätige"
        r"|hat geklappt)\b",
    ),
    unreal=(
        r"(?:wenn|falls|sobald|nachdem|bevor|soll|sollen|kann|können|könnte|möchten|wollen|würde|muss|müssen"
        r"|wird gleich"
        r"|werde|darf|dürfen|bis|ob) ",
    ),
    offers=(
        r"(?:wir haben|wir führen|es gibt|wir bieten|verfügbar|auswahl|optionen|zur wahl|kostet|kosten|preise?)\b",
    ),
    kinds={
        "duration": (r"(?:wie lange|dauer|wartezeit)\b",),
        "amount": (r"(?:wie ?viel kost\w+|was kost\w+|wie teuer|preise?|kosten|gebühr(?:en)?|wie hoch|tarife?)\b",),
        "hours": (r"(?:öffnungszeiten|wann (?:haben|hat|öffn|schließ|macht|sind) .{0,30}|geschäftszeiten)",),
        "number": (r"(?:wie ?viele|wie (?:alt|groß|weit|oft|hoch))\b",),
        "time": (r"(?:wann|um wie viel uhr|wie spät|an welchem tag|welches datum)\b",),
        "contact": (r"(?:telefon\w*|e-?mail-?adresse|kontakt\w*|erreich\w+)",),
        "place": (r"(?:wo|wohin|adresse|anschrift|welche adresse)\b",),
        "list": (
            r"welche \w+ (?:gibt|haben|bieten|sind|kann|führen|stehen)",
            r"welche (?:arten|sorten|optionen|größen|möglichkeiten)\b",
        ),
        "how": (r"(?:wie (?:kann|komm|mach|geht|muss|soll|funktioniert)|was muss ich)",),
    },
)
