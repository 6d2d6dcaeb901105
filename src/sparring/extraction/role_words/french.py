"""French words in which users are described."""

from sparring.extraction.role_words.role_words import RoleWords, matching, words

_ARE = r"(?:vous êtes|tu es|je suis)"
_ID = r"commande|compte|réservation|client|police|dossier|billet|facture|suivi|passeport|carte"
_SAYINGS = r"(?:phrases?|réponses?|messages?|questions?|textes?)"

FRENCH = RoleWords(
    named=matching(
        r"(?:votre|ton|mon) nom (?:complet )?est",
        r"(?:vous vous appelez|tu t'appelles|je m'appelle|il s'appelle|elle s'appelle)",
        r"(?:cliente?|utilisateur|utilisatrice|personne|femme|homme|étudiante?|patiente?)(?:,)? (?:nommée?"
        r"|qui s'appelle)",
    ),
    are=matching(_ARE),
    not_names=words(
        "français française anglais anglaise espagnol espagnole allemand allemande italien italienne un une le"
    ),
    persons=matching(
        r"(?:un|une) (?:\w+ ){0,2}(?:cliente?|utilisateur|utilisatrice|personne|femme|homme|étudiante?)\b"
    ),
    own=matching(r"(?:votre|ton|ta|mon|ma) ((?:[\w'-]+ ){0,3}[\w'-]+) (?:est|sont)(?: le| la)? "),
    has_called=matching(r"(?:vous avez|tu as|j'ai) (?:un|une) (?:\w+ )?(\w+) (?:nommée?|appelée?|qui s'appelle) "),
    address=matching(
        r"(?:habitez|habites|j'habite) (?:à|au|en) ", r"adresse (?:est|:) ", r"(?:livrer|livraison) (?:à|au) "
    ),
    street=matching(
        r"\d{1,4},? (?:bis )?(?:rue|avenue|av\.|boulevard|bd|place|chemin|route|quai|impasse) (?:[\w'-]+ ){0,4}[\w'-]+"
    ),
    age=matching(r"(?:avez|as|j'ai|âge est|âge :) (\d{1,3}) ans\b", r"de (\d{1,3}) ans\b"),
    born=matching(r"(?:née?|date de naissance|anniversaire)\b"),
    budget=matching(
        r"(?:au maximum|au plus|pas plus de|jusqu'à|budget (?:de|est de|est|:)|maximum de|dépenser plus de"
        r"|limite de) $"
    ),
    code=matching(
        rf"(?:numéro |code |référence )?(?:de )?({_ID})(?: (numéro|n°|code|référence))?:?(?: est)?(?: le| la)? #?$"
    ),
    available=matching(r"(?:libre|disponible|disponibilités?)", r"(?:pouvez|peux) (?:venir|passer)", r"avez le temps"),
    weekdays=("lundis?", "mardis?", "mercredis?", "jeudis?", "vendredis?", "samedis?", "dimanches?"),
    day_groups={
        r"en semaine|jours ouvrables": (0, 1, 2, 3, 4),
        r"week-?ends?": (5, 6),
        r"(?:tous les jours|n'importe quel jour)": tuple(range(7)),
    },
    parts_of_day={
        r"matins?|matinées?": (6 * 60, 12 * 60),
        r"après-midis?": (12 * 60, 18 * 60),
        r"soirs?|soirées?": (18 * 60, 23 * 60),
    },
    after=r"(?:après|à partir de|dès)",
    before=r"(?:avant|jusqu'à)",
    between=r"entre",
    except_=r"(?:pas|jamais|sauf|excepté)(?: le| les)?",
    late=r"(?:de l'après-midi|du soir)",
    asked={
        "email": matching(r"e-?mail|courriel|adresse mail"),
        "phone": matching(r"téléphone|portable|numéro de contact|vous (?:joindre|contacter|rappeler)"),
        "birth_date": matching(r"date de naissance|anniversaire|quand êtes-vous née?"),
        "age": matching(r"(?:quel |votre |ton )âge\b"),
        "address": matching(r"adresse\b|code postal|où (?:habitez|devons|faut-il|doit-on)"),
        "id": matching(rf"(?:numéro|n°|code|référence|identifiant) (?:de )?(?:votre |la |l')?({_ID})\b"),
        "budget": matching(r"budget", r"combien .{0,30}\b(?:dépenser|payer)\b"),
        "name": matching(
            r"(?:quel|votre|ton|à quel|sous quel|vos|de) (?:est votre )?(?:pré)?noms?\b",
            r"comment (?:vous appelez|vous vous appelez|tu t'appelles)",
            r"(?:à qui ai-je|au nom de qui)",
        ),
        "availability": matching(
            r"(?:quand|quels? jours?|quelle heure|quelle date)", r"disponib", r"vous (?:convient|conviendrait|arrange)"
        ),
    },
    not_own_name=matching(r"nom (?:de votre|du produit|d'utilisateur|de la société)"),
    nouns={
        "name": matching(r"nom(?: \w+)?$"),
        "email": matching(r"(?:e-?mail|courriel|adresse (?:e-?)?mail)$"),
        "phone": matching(r"(?:numéro de )?(?:téléphone|portable)$"),
        "birth_date": matching(r"(?:date de naissance|anniversaire)$"),
        "address": matching(r"adresse$"),
        "age": matching(r"âge$"),
        "budget": matching(r"budget(?: \w+)?$"),
        "id": matching(rf"(?:numéro|code|référence) de (?:{_ID})$"),
        "availability": matching(r"disponibilités?$"),
        "": matching(r"(?:rôle|objectifs?|tâche|ton|style|questions?|réponses?|messages?|phrases?)(?: \w+)*$"),
    },
    negation=matching(r"(?:ne|n'|pas|jamais|sans|ni|évite\w*)\b"),
    manners={
        "terse": matching(
            rf"{_SAYINGS} (?:\w+ et )?(?:courte?s?|brèves?|directe?s?|simples?|concise?s?)"
            rf"|(?:courte?s?|brèves?) {_SAYINGS}|laconique|concise?\b|peu de mots|oui ou non\b|experte?\b|brièvement"
        ),
        "wordy": matching(
            rf"bavarde?\b|parle[sz] (?:beaucoup|trop)|{_SAYINGS} (?:\w+ )?longue?s?\b|en détail|détaillée?s?\b"
        ),
        "formal": matching(r"formel|polie?s?\b|poliment|courtoise?\b|remerci|aimables?\b|soutenu\b"),
        "rude": matching(r"impolie?|grossi|en colère|énervée?|insult|agressi|désagréable|hostile|irritable"),
        "impatient": matching(r"pressée?s?\b|impatien|stressée?|urgent|(?:pas|peu) (?:beaucoup )?de temps|dépêche"),
        "vague": matching(r"vague\b|oublie|distraite?|timide|désorganisée?|indécise?|pas (?:sûre?|certaine?)"),
        "sceptical": matching(r"sceptique|méfi|doute|soupçonneu"),
        "curious": matching(r"curieu|curiosité|savoir pourquoi|beaucoup de questions"),
        "confused": matching(
            r"confuse?\b|perdue?\b|personne âgée|de (?:\d\d|quatre-vingts|soixante-dix) ans"
            r"|(?:rien|peu|pas grand-chose) .{0,20}(?:technologie|informatique)"
        ),
        "flexible": matching(r"flexible|souple\b|accepte[sz]? (?:toute?|une? autre|n'importe)|ouverte? à"),
        "insistent": matching(r"insist|têtue?|obstinée?|persévérante?|n'accepte[sz]? (?:pas|aucun)"),
        "adversarial": matching(
            r"tromper|ruse\b|gratuitement\b|manipul|menac|parler (?:au|à un) (?:responsable"
            "|chef)"
        ),
    },
    hold=matching(
        rf"{_ARE} une? (?:utilisateur|utilisatrice|client|cliente|personne)\b",
        r"(?:ne|n') (?:jouez|joue|agissez|agis) jamais (?:le rôle |comme )",
        r"ne (?:demandez|demande) rien",
    ),
    kinds={"chien": "animal", "chienne": "animal", "chat": "animal", "chatte": "animal"},
)
