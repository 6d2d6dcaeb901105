"""Languages of texts, told apart by function words.

A word counts much less if languages share it.
"""

from sparring.extraction.tokens import cached, fold, tokens

FUNCTION_WORDS = {
    "en": "the a an of to in on at for from by with and or but if is are was were be been have has had will"
    " would can could"
    " should may not it this that these i you he she we they my your our what which who when where how please"
    " thanks i'd i'm"
    " i'll it's don't do does did there any some just also need like want about me",
    "es": "el la los las un una unos de del al en por para con y o pero si que como es son era ser estar este"
    " esta esto eso no"
    " se me te lo le su sus mi mis yo tu usted cual cuando donde quiero quisiera puedo puede podria gracias"
    " favor hola muy mas"
    " hay tengo tiene necesito quien porque tambien estoy buenos buenas dias estan tienen ustedes ya aqui hoy cuanto",
    "fr": "le la les un une des de du au aux en dans pour avec et ou mais si que qui comme est sont je tu il"
    " elle nous vous ce"
    " cette ces mon ma mes votre vos ne pas plus on me se son sa ses merci bonjour voudrais j'aimerais quel"
    " quelle quand c'est"
    " j'ai suis avez pouvez plait sur tres bien aussi",
    "de": "der die das den dem des ein eine einen einem einer und oder aber wenn ist sind war ich du er sie es"
    " wir ihr mein"
    " meine meinen dein ihre ihren nicht kein keine zu zum zur mit fur von vom bei auf im am an in aus danke"
    " bitte hallo mochte"
    " kann konnen wie was wann wo auch noch haben habe gerne hatte sehr",
    "it": "il lo la gli le un uno una di del della dei delle a al alla da dal in nel nella con su per tra e o ma"
    " se che chi come"
    " e' sono era io tu lui lei noi voi mio mia suo sua non piu mi ti si ci vorrei grazie ciao buongiorno posso"
    " puo potrebbe"
    " quale quando dove favore anche questo questa ho",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas por para com e ou mas se que como sou sao"
    " era eu tu voce"
    " ele ela nos meu minha seu sua nao mais me te lhe isto isso este esta quero gostaria posso pode poderia"
    " obrigado obrigada"
    " ola qual quando onde tambem muito tenho preciso favor bom boa dia estao voces tem hoje ja aqui quanto pela pelo",
    "ru": "и в во на с со к ко от до по за из у о об не нет да что кто как где когда это этот эта эти тот я ты"
    " он она мы вы мне"
    " вам нам мой ваш быть есть был была хочу можно пожалуйста спасибо ли же бы для мне меня у вас какой какая"
    " какие сколько"
    " здравствуйте добрый нужно очень еще уже",
}


def _weights() -> dict[str, tuple[tuple[str, ...], float]]:
    """Return the languages of each function word, and its weight."""
    found: dict[str, list[str]] = {}
    for code, words in FUNCTION_WORDS.items():
        for word in dict.fromkeys(fold(words).split()):
            found.setdefault(word, []).append(code)
    return {word: (tuple(codes), len(codes) ** -2) for word, codes in found.items()}


WEIGHTS = _weights()
"""Languages of each function word, and its weight."""

_OTHERS = ("fr", "de", "it", "pt")
_MORE_WORDS = {
    "fr": "c'est n'est n'y n'ai n'avons n'avez d'un d'une d'accord est-ce etes aux souhaitez voulez puis pouvons avons"
    " ici leur deja jusqu'a apres avant votre notre oui non desole malheureusement combien alors etait tout faire fait",
    "de": "ihnen ihrem ihres mich mir uns dich werden wird wurde wurden worden kein keinen soll sollen leider gern"
    " ja nein etwas nur schon bis nach uber unter diese dieser dieses sonst alles dann welche welcher welchen"
    " mochten konnten durfen darf hier heute jetzt uhr",
    "it": "nei sul sulla sullo alle agli allo dello degli delle suoi sue vostro vostra le abbiamo siamo avete"
    " stato stata stati state puo deve vuole desidera quanto quanti quante cosa ecco qui gia solo tutto purtroppo"
    " dispiace oppure altro ora oggi perche pero hai",
    "pt": "pelos pelas ao aos num numa foi fui seus suas meus minhas nossa nosso ate sim entao apenas posso"
    " podemos ser fazer qualquer alguma algum depois amanha infelizmente desculpe pedido cadastro gostaria deseja"
    " qual quantos quantas isso estamos",
}
_SURE, _TWICE = 1.0, 2.0
"""Weight that tells a language, and how many times that of the next one it must be."""


def _all_weights() -> dict[str, dict[str, float]]:
    found = {word: dict.fromkeys(codes, weight) for word, (codes, weight) in WEIGHTS.items()}
    for code, words in _MORE_WORDS.items():
        for word in fold(words).split():
            if word not in found:
                found[word] = {code: 1.0}
    return found | {"dos": {"es": 0.5, "pt": 0.5}}


_ALL = _all_weights()


@cached
def other_language(text: str) -> str:
    """Return `fr`, `de`, `it` or `pt` for a text in this language, "?" if unclear, "" for others."""
    scores: dict[str, float] = {}
    for word in tokens(text):
        for code, weight in _ALL.get(word, {}).items():
            scores[code] = scores.get(code, 0.0) + weight
    best = max(scores, key=lambda code: scores[code], default="")
    second = max((score for code, score in scores.items() if code != best), default=0.0)
    if not best or scores[best] < _SURE or scores[best] < _TWICE * second:
        return "?"
    return best if best in _OTHERS else ""
