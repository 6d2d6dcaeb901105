"""Italian phrasebook."""

import re

from sparring.extraction.phrasebooks.phrasebook import Phrasebook, starts_with
from sparring.extraction.tokens import pattern

ITALIAN = Phrasebook(
    want=("Vorrei {}.", "Vorrei {}, per favore.", "Mi servirebbe questo: {}."),
    want_to=("Vorrei {}.", "Vorrei {}, per favore."),
    again=("Scusi, volevo dire: {}.", "Lo dico in un altro modo: {}.", "{}"),
    value=("{}", "{}, per favore."),
    tell=("Mi può dire {}?", "Mi potrebbe dire {}, per favore?", "Qual è {}?"),
    yes=("Sì, grazie.", "Sì, esatto."),
    no=("No, grazie.", "No, non serve, grazie."),
    wrong=("No, non è corretto. {}", "No, non è così. {}"),
    that_is_all=("No, è tutto, grazie.", "No, nient'altro, grazie."),
    one=("Solo uno, per favore.", "Uno."),
    any_will_do=("Per me è uguale.", "Come preferisce."),
    goodbye=("Grazie, arrivederci.", "Grazie mille, buona giornata."),
    unknown=("Non ce l'ho.", "Purtroppo non lo so."),
    wait=("Va bene.", "Va bene, aspetto."),
    handed_over=("Va bene, grazie, arrivederci.", "D'accordo, grazie, buona giornata."),
    why=("Perché?", "E perché no?"),
    able=("Mi può aiutare con questo: {}?", "È una cosa di cui vi occupate: {}?"),
    without=("Allora faccio senza ({}), grazie.", "Allora rinuncio ({}), grazie."),
    instead=("Allora {}, per favore.", "Va bene, prendo {}."),
    misheard=("No, {}.", "No, ho detto {}."),
    not_wanted=("No, non ho chiesto {}.", "No, non voglio {}."),
    too_expensive=("No, è più di quanto voglio spendere.",),
    openers=(
        "La ringrazio tanto di prendersi il tempo di leggere tutto questo.",
        "Ci sto pensando già da un bel po'.",
        "È tutta una storia, quindi le chiedo un po' di pazienza.",
        "La mia vicina mi ha detto proprio stamattina che era meglio scrivervi direttamente.",
    ),
    closers=(
        "Spero che sia abbastanza chiaro.",
        "Mi farebbe davvero piacere, perché ci penso da tutta la settimana.",
        "Mi risponda pure con calma, anche se ci vuole un po'.",
        "Mi scusi se scrivo così tanto, è il mio modo di fare.",
    ),
    change=("Anzi, cambi {old} con {new}, per favore.", "Ripensandoci, metta {new} al posto di questo: {old}."),
    change_back=("Scusi, rimetta {new} invece di questo: {old}.", "No, aspetti, torniamo a {new}, non {old}."),
    and_="e",
    order_words=starts_with("innanzitutto prima secondo terzo poi dopo infine"),
    verbs=starts_with(
        "ordinare chiedere prenotare sapere conoscere controllare verificare trovare annullare disdire cambiare"
        " comprare acquistare ottenere pagare inviare spedire parlare registrare registrarmi restituire rendere"
        " segnalare seguire avere fissare aggiungere togliere aprire chiudere modificare spostare prendere noleggiare"
        " bloccare fare vedere informarmi iscrivermi visitare rinnovare"
    ),
    statement=pattern(
        r"(?:il|lo|la|i|gli|le|l'|mio|mia|miei|mie|io|noi|questo|questa)\b ?(?:[^ ]+ ){0,4}"
        r"(?:è|sono|ho|ha|hanno|abbiamo|deve|devono|devo|era|erano|serve)\b",
        r"(?:ho|sono|abbiamo|siamo|devo|dobbiamo|voglio|vorrei)\b",
    ),
    correct=pattern(r"(?:è|tutto) (?:tutto )?(?:corrett[oa]|giusto|esatto|così|a posto)", r"(?:corretto|giusto) ?\?"),
    confirm=pattern(
        r"per (?:confermare|conferma)\b",
        r"(?:è|tutto) (?:tutto )?(?:corrett[oa]|giusto|esatto|a posto)\b",
        r"(?:corrett[oa]|giusto|esatto|va bene(?: così)?|sicur[oa]|d'accordo|ok|confermat?[oa]|conferma) ?\?",
        r"(?:mi |lo |la )?conferma\b",
        r"(?:può|potrebbe|vuole|desidera|intende) (?:che )?(?:io )?(?:\w+ )?(?:conferm|proced|continu|complet"
        r"|prosegu)\w*",
        r"(?:vuole|desidera|vuoi) che (?:[^ ]+ )?(?:conferm|proced|prenot|ordin|complet|invi|annull|registr"
        r"|aggiung)\w*",
        r"(?:posso|devo|possiamo) (?:\w+ )?(?:conferm|proced|prenot|complet|inviar|annull|registr"
        r"|continuar|ordinar)\w*",
        r"(?:procedo|confermo|prenoto|procediamo|confermiamo) ?\?",
        r"(?:è|sei) (?:sicur[oa]|d'accordo)",
    ),
    more=pattern(
        r"qualcos'?altro",
        r"qualche altra cosa",
        r"(?:altre|altra|altri) (?:domand|richiest|cos|esigenz|prodott|articol)\w*",
        r"(?:nient'?altro|altro|è tutto|tutto qui) ?\?",
        r"aggiungere (?:qualcosa|altro)",
        r"(?:aiutar\w+|fare|esserle utile) (?:in |con |per )?(?:altro|qualcos)",
        r"bisogno di altro",
    ),
    how_many=pattern(r"quant[ei]\b", r"(?:che|quale) quantità\b", r"che numero di\b"),
    offer=pattern(
        r"(?:vuole|desidera|vuoi|desideri|gradisce|preferisce)\b",
        r"(?:le|ti) (?:piacerebbe|andrebbe|serve|interessa|va)\b",
        r"(?:posso|possiamo) (?:offrir|propor)\w+",
        r"che ne (?:dice|pensa|dici) di\b",
        r"ha bisogno (?:anche )?di\b",
    ),
    request=pattern(
        r"(?:per favore|per cortesia|cortesemente|prego|la prego di),? (?:\w+ )?(?:indic|dic|inser|scelg|selez"
        r"|specific|invi|scriv|fornisc|lasci|comunich|conferm)\w*",
        r"(?:mi|ci) (?:dica|dia|indichi|comunichi|fornisca|scriva|invii|lasci|dici|confermi|specifichi)\b",
        r"(?:indichi|scelga|inserisca|selezioni|specifichi|fornisca|scriva)\b",
        r"(?:mi |ci )?(?:serve|servono|servirebbe|occorre|manca)\b",
        r"(?:ho|abbiamo|avrei) bisogno (?:di |del |della )",
    ),
    options=pattern(r"(?:o|oppure)\b"),
    or_="o",
    facts={
        "name": "Mi chiamo {}.",
        "phone": "Il mio numero di telefono è {}.",
        "email": "La mia e-mail è {}.",
        "address": "Il mio indirizzo è {}.",
        "age": "Ho {} anni.",
        "birth_date": "La mia data di nascita: {}.",
        "availability": "Posso {}.",
        "budget": "Posso spendere fino a {}.",
    },
    asides={
        "why_asked": ("Perché lo chiede?",),
        "doubt": ("Spero di potermi fidare.", "Staremo a vedere."),
        "newcomer": ("Per me è tutto nuovo.", "Non l'ho mai fatto prima."),
        "curt": ("Senta.", "Mi ascolti bene."),
        "please": ("per favore",),
        "thanks": ("Grazie.", "Grazie mille."),
        "hurry": ("Vado di fretta.", "Non ho molto tempo."),
        "too_long": ("Era decisamente troppo lungo.", "Sia più breve, per favore."),
        "complaint": ("È ridicolo.", "Mi sta facendo perdere tempo."),
        "why_needed": ("A che cosa le serve?",),
        "sure": ("È proprio certo?",),
        "why": ("E come mai?",),
        "meaning": ("Scusi, che cosa significa {}?", "Che cos'è {}?"),
        "remark": ("Qui piove da tutto il giorno.", "Ne parlavo giusto con un'amica."),
        "hesitation": ("Dunque, mi faccia pensare.", "Ehm, non so bene come dirlo."),
    },
    courtesy=re.compile(r"(?i),? ?\b(?:per favore|per cortesia|grazie mille|grazie)\b,? ?"),
)
