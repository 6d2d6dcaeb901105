"""Wordings of misbehaving users in languages that have only the most frequent ones."""

from sparring.audit.phrases.phrases import MisbehaviorPhrases

OTHERS = MisbehaviorPhrases(
    assistant=(
        r"comment puis-je vous aider\b",
        r"en quoi puis-je vous (?:aider|être utile)",
        r"(?:wie|womit) kann ich (?:ihnen|dir) (?:weiter)?helfen\b",
        r"como posso (?:te )?ajud[aá]",
        r"come posso (?:aiutar|essere)",
        r"kann ich sonst noch etwas für (?:sie|dich) tun",
        r"puis-je faire autre chose pour vous",
        r"posso ajudar (?:em|com) (?:mais )?(?:alguma|algo)",
        r"posso aiutarl?[ati] (?:con altro|in altro)",
    ),
    refusal=(
        r"en tant qu(?:e |')?(?:ia|intelligence artificielle|modele de langage|assistant)",
        r"als (?:ki|künstliche intelligenz|sprachmodell|ki-\w+)\b",
        r"como (?:uma? )?(?:ia|inteligência artificial|modelo de linguagem)",
        r"in quanto (?:ia|intelligenza artificiale|modello linguistico)",
        r"je ne peux pas (?:vous )?aider (?:avec|pour) cette demande",
        r"dabei kann ich (?:ihnen |dir )?nicht helfen",
    ),
)
