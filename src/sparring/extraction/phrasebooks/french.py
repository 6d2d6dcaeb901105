"""French phrasebook."""

import re

from sparring.extraction.phrasebooks.phrasebook import Phrasebook, starts_with
from sparring.extraction.tokens import pattern

FRENCH = Phrasebook(
    want=("Je voudrais {}.", "J'aimerais {}, s'il vous plaît.", "Je souhaite {}, s'il vous plaît."),
    want_to=("Je voudrais {}.", "J'aimerais {}, s'il vous plaît."),
    again=("Pardon, je voulais dire : {}.", "Je le dis autrement : {}.", "{}"),
    value=("{}", "{}, s'il vous plaît."),
    tell=("Pourriez-vous me dire {} ?", "Pouvez-vous me dire {}, s'il vous plaît ?", "Quel est {} ?"),
    yes=("Oui, s'il vous plaît.", "Oui, c'est exact."),
    no=("Non, merci.", "Non, ce ne sera pas nécessaire, merci."),
    wrong=("Non, ce n'est pas exact. {}", "Non, ce n'est pas cela. {}"),
    that_is_all=("Non, c'est tout, merci.", "Non, rien d'autre, merci."),
    one=("Un seul exemplaire, s'il vous plaît.", "Un seul."),
    any_will_do=("Ça m'est égal.", "Comme vous voulez."),
    goodbye=("Merci, au revoir.", "Merci beaucoup, bonne journée."),
    unknown=("Je n'ai pas cette information.", "Je ne le sais pas, malheureusement."),
    wait=("D'accord.", "D'accord, j'attends."),
    handed_over=("D'accord, merci, au revoir.", "Très bien, merci, bonne journée."),
    why=("Pourquoi ?", "Et pourquoi pas ?"),
    able=("Pouvez-vous m'aider pour ceci : {} ?", "Est-ce que vous vous occupez de ceci : {} ?"),
    without=("Alors tant pis pour {}, merci.", "Dans ce cas, je laisse tomber ({}), merci."),
    instead=("Alors {}, s'il vous plaît.", "D'accord, je prends {}."),
    misheard=("Non, {}.", "Non, j'ai dit {}."),
    not_wanted=("Non, je n'ai pas demandé {}.", "Non, je ne veux pas {}."),
    too_expensive=("Non, c'est plus que ce que je veux dépenser.",),
    openers=(
        "Merci beaucoup de prendre le temps de lire tout cela.",
        "J'y pense depuis un bon moment déjà.",
        "C'est toute une histoire, alors je vous demande un peu de patience.",
        "Ma voisine m'a dit ce matin encore qu'il valait mieux vous écrire directement.",
    ),
    closers=(
        "J'espère que c'est assez clair pour vous.",
        "Cela me ferait vraiment plaisir, car j'attends ce moment depuis une semaine.",
        "Répondez-moi quand cela vous arrange, même si cela prend du temps.",
        "Pardonnez-moi d'écrire si longuement, c'est ma façon d'être.",
    ),
    change=(
        "Finalement, remplacez {old} par {new}, s'il vous plaît.",
        "Réflexion faite, mettez plutôt {new} que {old}.",
    ),
    change_back=("Pardon, remettez {new} à la place : pas {old}.", "Non, attendez, finalement {new} et non {old}."),
    and_="et",
    order_words=starts_with("premièrement deuxièmement troisièmement d'abord ensuite puis enfin finalement"),
    verbs=starts_with(
        "commander demander réserver savoir connaître vérifier trouver annuler changer acheter prendre obtenir payer"
        " envoyer parler enregistrer modifier rendre retourner renvoyer signaler suivre apprendre avoir organiser"
        " ajouter supprimer ouvrir fermer consulter louer déplacer reporter résilier bloquer virer faire m'inscrire"
        " m'informer visiter"
    ),
    statement=pattern(
        r"(?:le|la|les|l'|mon|ma|mes|je|j'|nous|ce|cette|cela|c'|il|elle)\b ?(?:[^ ]+ ){0,4}"
        r"(?:est|sont|ai|a|ont|avons|dois|doit|doivent|suis|était|étaient|faut)\b"
    ),
    correct=pattern(r"(?:c'est|est-ce|tout est) (?:bien )?(?:correct|exact|ca|cela|bon|juste)", r"correcte?s? ?\?"),
    confirm=pattern(
        r"pour confirm\w+",
        r"(?:c'est|est-ce|tout est|cela est) (?:bien )?(?:correcte?|exact|ca|cela|bon|juste)\b",
        r"(?:correcte?s?|exact|d'accord|sur|c'est bien cela|cela vous (?:va|convient)|ca vous va|ok) ?\?",
        r"confirm(?:ez|er|es|e)[- ](?:vous|tu)",
        r"(?:pouvez|pourriez|voulez|souhaitez|desirez)-vous (?:bien )?(?:que je )?(?:le |la |les |me )?"
        r"(?:confirm|valid|proced|continu|finalis|poursuiv|reserv|pass)\w*",
        r"(?:dois|puis)-je (?:\w+ )?(?:confirm|valid|proced|continu|finalis|reserv|pass|enregistr|annul|command)\w*",
        r"(?:je (?:confirme|valide|reserve|procede|continue)|on valide|on y va) ?\?",
        r"etes[- ]vous (?:bien )?(?:sure?|d'accord|certaine?)",
        r"vous confirmez\b",
    ),
    more=pattern(
        r"autre chose",
        r"quelque chose d'autre",
        r"(?:une |d')autres? (?:question|demande|service|commande|besoin|article)s?",
        r"quoi d'autre",
        r"rien d'autre ?\?",
        r"ajouter (?:quelque chose|autre)",
        r"(?:besoin d'|vous )?aider? (?:en|pour|a) (?:autre|quoi que)",
        r"ce sera tout ?\?",
    ),
    how_many=pattern(r"combien (?:de |d'|en )", r"quelle quantite\b", r"quel nombre\b"),
    offer=pattern(
        r"(?:voulez|souhaitez|desirez|voudriez|aimeriez|veux|souhaites)[- ](?:vous|tu)\b",
        r"vous (?:voulez|souhaitez|desirez|faut|faudrait)\b",
        r"(?:avez-vous besoin|vous faut-il|que diriez-vous|ca vous (?:dit|tente))\b",
        r"(?:puis-je|je peux) vous (?:proposer|offrir)\b",
    ),
    request=pattern(
        r"(?:veuillez|merci de|pouvez-vous|pourriez-vous|priere de) (?:me |nous |bien vouloir )*(?:indi|donn|dire|"
        r"saisi|entr|precis|chois|selectionn|envo|ecri|communiqu|fourni|laiss|confirm|renseign)\w*",
        r"(?:indiquez|donnez|dites|precisez|envoyez|communiquez|choisissez|entrez|saisissez|laissez|ecrivez)\b",
        r"(?:j'ai|j'aurais|nous avons|nous aurons) besoin (?:de |d')(?:votre|vos|connaitre|savoir)",
        r"il (?:me|nous) (?:faut|faudrait|manque) (?:encore )?(?:votre|vos|le|la|un|une)\b",
    ),
    options=pattern(r"ou\b"),
    or_="ou",
    facts={
        "name": "Je m'appelle {}.",
        "phone": "Mon numéro de téléphone est le {}.",
        "email": "Mon adresse e-mail est {}.",
        "address": "Mon adresse : {}.",
        "age": "J'ai {} ans.",
        "birth_date": "Ma date de naissance : {}.",
        "availability": "Je suis disponible {}.",
        "budget": "Je peux dépenser jusqu'à {}.",
    },
    asides={
        "why_asked": ("Pourquoi cette question ?",),
        "doubt": ("J'espère pouvoir m'y fier.", "On verra bien."),
        "newcomer": ("Tout cela est nouveau pour moi.", "Je n'ai jamais fait cela."),
        "curt": ("Écoutez.", "Écoutez-moi bien."),
        "please": ("s'il vous plaît",),
        "thanks": ("Merci.", "Merci beaucoup."),
        "hurry": ("C'est assez urgent.", "Je n'ai pas beaucoup de temps."),
        "too_long": ("C'était beaucoup trop long.", "Soyez plus bref, je vous prie."),
        "complaint": ("C'est ridicule.", "Vous me faites perdre mon temps."),
        "why_needed": ("Pourquoi en avez-vous besoin ?",),
        "sure": ("C'est bien certain ?",),
        "why": ("Pourquoi donc ?",),
        "meaning": ("Pardon, que veut dire {} ?", "{}, qu'est-ce que c'est ?"),
        "remark": ("Il pleut ici depuis ce matin.", "J'en parlais justement avec une amie."),
        "hesitation": ("Eh bien, laissez-moi réfléchir.", "Euh, je ne sais pas trop comment le dire."),
    },
    courtesy=re.compile(r"(?i),? ?\b(?:s['’]il vous pla[iî]t|je vous prie|merci beaucoup|merci)\b,? ?"),
)
