"""Italian words by which replies and goals are read."""

from sparring.extraction.speech_words.speech_words import SpeechWords

ITALIAN = SpeechWords(
    unknown=(
        r"non (?:lo |la |ne )?(?:so|sappiamo|conosco|dispongo|disponiamo)\b",
        r"non (?:ho|abbiamo) (?:questa |nessuna |alcuna |quest')?(?:informazion|idea|dat)",
        r"(?:un momento|un attimo|un secondo|un minuto|attenda|aspetti un)\b",
        r"(?:mi lasci|mi faccia|vado a|devo) (?:controllare|verificare|vedere|chiedere|consultare)",
        r"(?:errore|guasto|problema tecnico|fuori servizio)\b",
        r"non (?:posso|possiamo|riesco|riusciamo) (?:a )?(?:\w+ )?(?:dir|aiutar|risponder|trovar|accedere)\w*",
        r"non (?:sono|siamo) (?:sicur|cert)[oaie]\b",
    ),
    denies=(
        r"(?:non|no|mai|nessun\w*|niente|nulla|senza|né|neanche|nemmeno|purtroppo|tranne|eccetto)\b",
        r"(?:mi dispiace|ci dispiace|spiacent[ei]|esaurit[oaie]|impossibile|chius[oaie]|al completo|soltanto"
        r"|rifiut\w+)\b",
        r"(?:scadut[oaie]|troppo tardi|occupat[oaie]|solo (?:abbiamo|offriamo))\b",
    ),
    undone=(
        r"(?:annullat|cancellat|rifiutat|revocat|disdett)[oaie]\b",
        r"non (?:è stat[oa] |è |sono stati )?(?:salvat|prenotat|effettuat|confermat|registrat)[oaie]\b",
    ),
    agrees=(
        r"(?:ok|okay|sì|certo|certamente|va bene|d'accordo|perfetto|capito|ottimo|fatto|senz'altro|volentieri"
        r"|benissimo)\b",
        r"(?:annotat|segnat|registrat|confermat|prenotat|ordinat|aggiunt|annullat|modificat|fissat|inserit"
        r"|conferm)\w*",
    ),
    completes=(
        r"(?:annotat|segnat|registrat|confermat|prenotat|ordinat|annullat|modificat|fissat|effettuat"
        r"|completat)[oaie]\b",
        r"fatto\b",
    ),
    requests=(
        r"(?:per favore|per cortesia|cortesemente|la prego di),? (?:\w+ )?(?:indic|dic|inser|scelg|selez|specific|invi"
        r"|scriv|fornisc|lasci|comunich|conferm)\w*",
        r"(?:mi|ci) (?:dica|dia|indichi|comunichi|fornisca|scriva|invii|lasci|confermi|specifichi)\b",
        r"(?:indichi|scelga|inserisca|selezioni|specifichi|fornisca|scriva)\b",
        r"(?:mi serve|mi servono|mi servirebbe|ho bisogno di|abbiamo bisogno di|mi occorre)(?: \w+)? (?:suo|sua"
        r"|suoi|sue"
        r"|sapere|il|la|un)\b",
        r"(?:prema|digiti|risponda)[^\w]+\w+[^\w]+(?:per|se)",
    ),
    refuses=(
        r"non (?:\w+ )?(?:posso|possiamo|offriamo|vendiamo|abbiamo|ho|serviamo|facciamo|accettiamo|consegniamo|è"
        r"|sono|c'è|ci sono|si può|effettuiamo|disponiamo|prendiamo|riesco|riusciamo)\b",
        r"(?:purtroppo|impossibile|esaurit[oaie]|al completo|spiacent[ei]|mi dispiace,? (?:ma )?non)\b",
        r"(?:nessun\w*) (?:tavolo|posto|disponibilità)\b",
    ),
    conditions=(r"(?:se|quando|una volta|dopo|appena|finché|non appena)",),
    fails=(
        r"(?:errore del server|errore:|si è verificato un errore|errore interno|tempo scaduto)",
        r"(?:qualcosa è andato storto|riprovi più tardi)",
    ),
    paraphrases=(
        r"(?:lei |tu )?(?:desidera|vuole|vorrebbe|cerca|vuoi|sta cercando)\b",
        r"sembra che (?:lei |tu )?(?:voglia|desideri)\b",
    ),
    corrects=(
        r"(?:no|non|anzi|in realtà|scusi|scusa|aspetti|volevo dire|ho detto|cambi|piuttosto|meglio|ripensandoci"
        r"|metta)\b",
    ),
    more=(r"(?:qualcos'?altro|qualche altra cosa|altre domande|altro|nient'?altro|è tutto)\b",),
    confirms=(
        r"(?:corrett[oa]|giusto|esatto|conferm\w*|va bene così|d'accordo|a posto|procedo|procediamo|è sicur[oa])\b",
        r"(?:vuole che|desidera che|posso (?:\w+ )?(?:procedere|confermare|prenotare|ordinare|inviare|registrare"
        r"|annullare|completare)|devo (?:procedere|confermare|prenotare|annullare))\b",
    ),
    repeats=(r"(?:quindi,? )?(?:lei |tu )?(?:ha detto|ha chiesto|vuole|vorrebbe|desidera)\b",),
    interrogative=(
        r"(?:sapere|conoscere|scoprire|informarmi)\b",
        r"(?:che|cosa|chi|quando|dove|come|quanto|quanta|quanti|quante|perché|quale|quali|qual)\b",
        r"a che ora\b",
    ),
    yes_or_no_question=(
        r"(?:se|c'è|ci sono|è possibile|si può|posso|avete|accettate|offrite|fate|consegnate|siete)\b",
    ),
    yes_or_no=(r"(?:sì|no|certo|certamente|assolutamente|purtroppo no|senz'altro)\b",),
    open=(
        r"(?:che (?:cosa|ora|ore|tipo|taglia|giorno|nome|data|numero|genere|gusto|misura|formato)|cosa"
        r"|chi|quando|dove|quanto|quanta|quanti|quante|perché|quale|quali|qual)\b",
        r"come (?:si|ti|posso|vuole|vuoi|desidera|preferisce|la|mai|intende)\b",
    ),
    wanted={
        "place": (
            r"(?:ordin(?:are|o)|prenot(?:are|o)|comprare|acquist\w*|noleggi\w*|aggiung\w*|registr\w*|iscriv\w*|fissare"
            r"|prendere)\b",
        ),
        "cancel": (r"(?:annull|cancell|disdi|elimin|rimuov)\w*",),
        "return": (r"(?:restitu|rimbors|rendere|reso)\w*",),
        "change": (r"(?:cambi|modific|spost|aggiorn|sostitu|scambi)\w*",),
        "block": (r"(?:blocc|congel|sospend|disattiv)\w*",),
        "activate": (r"(?:sblocc|attiv|riattiv|reimpost)\w*",),
        "send": (r"(?:inviare|invi[ao]|spedi\w*|trasfer\w*|bonifico|inoltr\w*)\b",),
        "pay": (r"(?:pagare|pago|pagamento|ricaric\w*|saldare)\b",),
        "extend": (r"(?:rinnov|prorog|prolung|estend)\w*",),
    },
    reported={
        "place": (
            r"(?:ordinat|prenotat|riservat|acquistat|aggiunt|registrat|annotat|segnat|inserit|iscritt|fissat"
            r"|programmat|noleggiat|creat)[oaie]\b",
            r"grazie per (?:il suo ordine|la sua prenotazione|l'ordine|la prenotazione|l'acquisto)\b",
        ),
        "cancel": (r"(?:annullat|cancellat|disdett|eliminat|rimoss)[oaie]\b",),
        "return": (r"(?:rimborsat|restituit|res)[oaie]\b",),
        "change": (r"(?:cambiat|modificat|spostat|aggiornat|sostituit)[oaie]\b",),
        "block": (r"(?:bloccat|congelat|sospes|disattivat)[oaie]\b",),
        "activate": (r"(?:sbloccat|attivat|riattivat|reimpostat)[oaie]\b",),
        "send": (r"(?:inviat|spedit|trasferit|inoltrat)[oaie]\b",),
        "pay": (r"(?:pagat|ricaricat|saldat)[oaie]\b",),
        "extend": (r"(?:rinnovat|prorogat|prolungat|estes)[oaie]\b",),
    },
    any_done=(
        r"(?:fatt|confermat|completat|effettuat|conclus|elaborat|finalizzat)[oaie]\b",
        r"(?:confermo|con successo|andato a buon fine)\b",
    ),
    unreal=(
        r"(?:se|quando|una volta|dopo|prima|posso|possiamo|può|vuole|desidera|deve|devo|sarà|saranno|verrà|appena"
        r"|potrebbe|finché|vado a) ",
    ),
    offers=(
        r"(?:abbiamo|ci sono|c'è|offriamo|vendiamo|serviamo|disponibil\w+|opzion\w+|scelta|costa|costano|prezz\w+)\b",
    ),
    kinds={
        "duration": (r"(?:quanto tempo|quanto dura|durata)\b",),
        "amount": (r"(?:quanto (?:costa|costano|viene|vale|è)|prezz[oi]|costo|costi|tariff[ae])\b",),
        "hours": (r"(?:orari[oe]?|a che ora (?:apr|chiud)|quando (?:apr|chiud|siete aperti))",),
        "number": (r"quant[ie]\b",),
        "time": (r"(?:quando|a che ora|che ora|in che data|che giorno|quale giorno)\b",),
        "contact": (r"(?:telefono|indirizzo e-?mail|contatt\w+|contact\w*)",),
        "place": (r"(?:dove|indirizzo)\b",),
        "list": (
            r"(?:quali|che) (?:sono|tipi|opzioni|taglie|misure|gusti)\b",
            r"(?:quali|che) \w+ (?:avete|ci sono|offrite|vendete)",
        ),
        "how": (r"(?:come (?:si|posso|devo|faccio|funziona)|che cosa devo fare|cosa devo fare)",),
    },
)
