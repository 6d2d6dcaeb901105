"""French words by which replies and goals are read."""

from sparring.extraction.speech_words.speech_words import SpeechWords

FRENCH = SpeechWords(
    unknown=(
        r"(?:ne|n'en) (?:le |la |les |en )?(?:sais|savons|connais|dispose|disposons)\b",
        r"(?:n'ai|n'avons) (?:pas|aucune) (?:accès|d'information|cette information|information|idée|l'information)",
        r"(?:un instant|un moment|une seconde|une minute|patientez|veuillez patienter)\b",
        r"(?:laissez-moi|je vais) (?:vérifier|regarder|voir|me renseigner|demander|consulter)",
        r"(?:erreur|incident technique|problème technique|en panne)\b",
        r"(?:ne|n'y) (?:peux|pouvons|parviens|arrive) pas (?:vous )?(?:dire|aider|répondre|trouver|accéder"
        r"|renseigner)",
        r"(?:je ne suis pas (?:sûre?|certaine?)|aucune (?:idée|information))\b",
    ),
    denies=(
        r"(?:pas|non|jamais|aucune?|rien|sans|ni|sauf|impossible|complète?s?|indisponibles?)\b",
        r"(?:désolée?s?|malheureusement|hélas|navrée?s?|regrett\w+)\b",
        r"(?:n'est plus|n'avons plus|n'ai plus|ne (?:\w+ )?plus|ne (?:\w+ )?que|n'avons que|seulement"
        r"|en rupture|épuisée?s?)\b",
        r"(?:fermée?s?|refus\w+|trop tard|expirée?s?)\b",
    ),
    undone=(
        r"(?:annulée?s?|rejetée?s?|refusée?s?|révoquée?s?)\b",
        r"(?:pas|n'a pas) (?:pu être|été) (?:enregistrée?|réservée?|passée?|confirmée?|effectuée?)\b",
    ),
    agrees=(
        r"(?:ok|okay|oui|d'accord|entendu|bien sûr|certainement|parfait|compris|très bien|c'est fait|volontiers)\b",
        r"(?:notée?s?|enregistrée?s?|confirmée?s?|confirme|réservée?s?|commandée?s?|ajoutée?s?|annulée?s?"
        r"|modifiée?s?|programmée?s?|prise en compte|prévue?s?|validée?s?)\b",
    ),
    completes=(
        r"(?:notée?s?|enregistrée?s?|confirmée?s?|réservée?s?|commandée?s?|passée|annulée?s?|modifiée?s?|validée?s?"
        r"|effectuée?s?|c'est fait)\b",
    ),
    requests=(
        r"(?:veuillez|merci de|prière de) (?:me |nous )?(?:indi|donn|dire|saisi|entr|précis|chois|sélec|envo|écri"
        r"|communiqu|fourni|laiss|confirm|renseign)\w*",
        r"(?:indiquez|donnez|dites|précisez|communiquez|choisissez|entrez|saisissez|laissez)(?:-moi|-nous)?\b",
        r"(?:j'ai|j'aurais|nous avons|nous aurons) besoin (?:de |d')(?:votre|vos|connaître|savoir)",
        r"(?:tapez|appuyez|répondez)[^\w]+\w+[^\w]+(?:pour|si)",
    ),
    refuses=(
        r"(?:ne|n'en) (?:\w+ )?(?:peux|pouvons|puis|proposons|propose|vendons|avons|servons|livrons|faisons"
        r"|acceptons|prenons|dispose|disposons|suis|sommes)\b",
        r"(?:n'avons|n'ai|n'offrons|n'acceptons|n'est|n'y a|n'existe|ne sont|n'effectuons) (?:plus|pas"
        r"|malheureusement)",
        r"(?:malheureusement|hélas|impossible|indisponibles?|en rupture|épuisée?s?|aucune? (?:table|créneau|place))\b",
        r"(?:je regrette|nous regrettons|désolée?,? (?:mais )?(?:je|nous|il|ce|c'))",
        r"(?:il ne (?:nous )?reste (?:plus|pas)|plus de )",
    ),
    conditions=(r"(?:si|quand|lorsque|une fois|après|dès que|tant que|jusqu'à ce que)",),
    fails=(
        r"(?:erreur du serveur|erreur :|erreur:|une erreur (?:est survenue|s'est produite)|délai dépassé)",
        r"(?:quelque chose s'est mal passé|réessayez (?:plus tard|ultérieurement))",
    ),
    paraphrases=(
        r"(?:vous|tu) (?:souhaitez|voulez|désirez|voudriez|aimeriez|cherchez|demandez|veux)\b",
        r"on dirait que vous\b",
    ),
    corrects=(
        r"(?:non|pardon|en fait|finalement|plutôt|attendez|désolée?|je voulais dire|j'ai dit|changez|remplacez"
        r"|réflexion faite|pas)\b",
    ),
    more=(r"(?:autre chose|quelque chose d'autre|d'autres?|une autre|quoi d'autre|rien d'autre|ce sera tout)\b",),
    confirms=(
        r"(?:confirm\w*|correcte?s?|exact|d'accord|valid\w+|c'est bien (?:ça|cela)|cela vous (?:va|convient)"
        r"|ça vous va)\b",
        r"(?:dois-je|puis-je (?:\w+ )?(?:procéder|confirmer|valider|réserver|passer|enregistrer|finaliser)"
        r"|souhaitez-vous (?:que je|procéder|continuer|finaliser)|voulez-vous que je|êtes-vous (?:sûre?|certaine?))",
    ),
    repeats=(r"(?:donc,? )?vous (?:avez dit|souhaitez|voulez|désirez|avez demandé|voudriez)\b",),
    interrogative=(
        r"(?:savoir|connaître|apprendre|me renseigner)\b",
        r"(?:que|qu'est-ce|qui|quand|où|comment|combien|pourquoi|quel|quelle|quels|quelles|lequel|laquelle)\b",
        r"(?:à quelle heure|à partir de quand|jusqu'à quand)\b",
    ),
    yes_or_no_question=(
        r"(?:si|est-ce|y a-t-il|avez-vous|puis-je|peut-on|pouvez-vous|êtes-vous|faites-vous|proposez-vous|livrez-vous"
        r"|acceptez-vous)\b",
    ),
    yes_or_no=(r"(?:oui|non|si|bien sûr|certainement|tout à fait|malheureusement pas|absolument)\b",),
    open=(
        r"(?:que|qu'est-ce|qui|quand|comment|combien|pourquoi|quel|quelle|quels|quelles|lequel|laquelle|quoi)\b",
        r"où (?:souhaitez|devons|dois|faut|habitez|êtes|voulez|puis|se)\b",
    ),
    wanted={
        "place": (
            r"(?:command(?:er|ez|e)\b|réserv|achet|pass(?:er|ez) une|prendre|inscri|lou(?:er|ez)|ajout|enregistr)\w*",
        ),
        "cancel": (r"(?:annul|supprim|résili|désabonn|désinscri)\w*",),
        "return": (r"(?:retourn|rembours|renvoy|rendre|renvoi)\w*",),
        "change": (r"(?:chang|modif|déplac|report(?:er|ez)\b|remplac|échang|mettre à jour)\w*",),
        "block": (r"(?:bloqu|geler|suspend|désactiv|opposition)\w*",),
        "activate": (r"(?:débloqu|activ|réactiv|réinitialis)\w*",),
        "send": (r"(?:envo|expédi|transfér|vir(?:er|ement)|transmet)\w*",),
        "pay": (r"(?:pay|régl|recharg)\w*",),
        "extend": (r"(?:prolong|renouvel)\w*",),
    },
    reported={
        "place": (
            r"(?:commandée?s?|réservée?s?|achetée?s?|ajoutée?s?|enregistrée?s?|notée?s?|inscrite?s?"
            r"|programmée?s?|prise?"
            r"|prévue?s?|passée|fixée?|louée?s?|créée?|planifiée?)\b",
            r"merci pour votre (?:commande|réservation|achat)\b",
        ),
        "cancel": (r"(?:annulée?s?|supprimée?s?|résiliée?s?)\b",),
        "return": (r"(?:remboursée?s?|retournée?s?|renvoyée?s?|retour (?:est )?enregistré)\b",),
        "change": (r"(?:changée?s?|modifiée?s?|déplacée?s?|reportée?s?|remplacée?s?|mise? à jour)\b",),
        "block": (r"(?:bloquée?s?|gelée?s?|suspendue?s?|désactivée?s?)\b",),
        "activate": (r"(?:débloquée?s?|activée?s?|réactivée?s?|réinitialisée?s?)\b",),
        "send": (r"(?:envoyée?s?|expédiée?s?|transférée?s?|virée?s?|transmise?s?)\b",),
        "pay": (r"(?:payée?s?|réglée?s?|rechargée?s?)\b",),
        "extend": (r"(?:prolongée?s?|renouvelée?s?)\b",),
    },
    any_done=(
        r"(?:c'est fait|faite?s?|confirmée?s?|effectuée?s?|terminée?s?|validée?s?|traitée?s?|je confirme"
        r"|avec succès|finalisée?s?)\b",
    ),
    unreal=(
        r"(?:si|quand|lorsque|une fois|après|avant|dois-je|puis-je|peux|pouvons|voulez|souhaitez|doit|sera|seront"
        r"|va être|vais|allons|faut|dès que|pourrait|bientôt) ",
    ),
    offers=(
        r"(?:nous avons|il y a|nous proposons|proposons|vendons|servons|disponibles?|options?|choix|coûte"
        r"|coûtent|prix)\b",
    ),
    kinds={
        "duration": (r"(?:combien de temps|quelle durée|durée)\b",),
        "amount": (
            r"(?:combien (?:coûte|coûtent|ça coûte|cela coûte|est-ce|ça fait|vaut)|le prix|les prix|prix|coût|tarifs?"
            r"|frais)\b",
        ),
        "hours": (
            r"(?:horaires?|heures d'ouverture|à quelle heure (?:ouvr|ferm)|quand (?:ouvr|ferm|êtes-vous ouvert))",
        ),
        "number": (r"(?:combien de|combien d')",),
        "time": (r"(?:quand|à quelle heure|quelle date|quel jour)\b",),
        "contact": (r"(?:téléphone|adresse e-?mail|contacter|joindre|courriel)",),
        "place": (r"(?:où (?:se|est|êtes|puis|sont|vous)|quelle adresse|l'adresse|adresse)\b",),
        "list": (
            r"(?:quels?|quelles?) (?:sont|types?|sortes?|options?|tailles?|modèles?)\b",
            r"(?:quels?|quelles?) \w+ (?:avez|proposez|y a|vendez)",
        ),
        "how": (r"(?:comment|que dois-je faire|que faut-il faire)\b",),
    },
)
