"""Spanish phrasebook."""

import re

from sparring.extraction.phrasebooks.phrasebook import Phrasebook, starts_with
from sparring.extraction.tokens import pattern

SPANISH = Phrasebook(
    want=("Quisiera {}.", "Me gustaría {}, por favor.", "¿Me puede dar {}, por favor?"),
    want_to=("Quisiera {}.", "Quiero {}, por favor."),
    again=("Perdón, quería decir: {}.", "Lo digo de otra manera: {}.", "{}"),
    value=("{}", "{}, por favor."),
    tell=("¿Me puede decir {}?", "¿Me podría indicar {}, por favor?", "¿Cuál es {}?"),
    yes=("Sí, por favor.", "Sí, correcto."),
    no=("No, gracias.", "No hace falta, gracias."),
    wrong=("No, eso no es correcto. {}", "No, no es así. {}"),
    that_is_all=("No, eso es todo, gracias.", "No, nada más, gracias."),
    one=("Uno, por favor.", "Solo uno."),
    any_will_do=("Me da igual.", "Lo que usted me recomiende."),
    goodbye=("Gracias, adiós.", "Muchas gracias, hasta luego."),
    unknown=("No lo tengo.", "No lo sé, lo siento."),
    wait=("De acuerdo.", "De acuerdo, espero."),
    handed_over=("De acuerdo, gracias, adiós.", "Está bien, gracias, hasta luego."),
    why=("¿Por qué?", "¿Y por qué no?"),
    able=("¿Me puede ayudar de algún modo con esto: {}?", "¿Es algo que ustedes hacen: {}?"),
    without=("Entonces sin {}, gracias.", "Entonces no pido {}, gracias."),
    instead=("Entonces {}, por favor.", "Está bien, me quedo con {}."),
    misheard=("No, {}.", "No, he dicho {}."),
    not_wanted=("No, no he pedido {}.", "No, no quiero {}."),
    too_expensive=("No, es más de lo que quiero gastar.",),
    openers=(
        "Muchas gracias por tomarse el tiempo de leer todo esto.",
        "Llevo ya bastante tiempo pensando en ello.",
        "Ha sido un día muy largo, así que le pido un poco de paciencia.",
        "Mi vecina me dijo esta misma mañana que era mejor escribirles yo misma.",
    ),
    closers=(
        "Espero haberme explicado con bastante claridad.",
        "Me alegraría mucho el día, porque llevo toda la semana esperándolo.",
        "Tómese el tiempo que necesite, tengo toda la tarde.",
        "Perdone que escriba tanto, es mi manera de ser.",
    ),
    change=("Mejor cambie {old} por {new}, por favor.", "Pensándolo bien, cambie {old} por {new}."),
    change_back=("Perdón, vuelva a cambiar {old} por {new}.", "Espere, mejor cambie otra vez {old} por {new}."),
    and_="y",
    order_words=starts_with("primero segundo tercero luego después finalmente"),
    verbs=starts_with(
        "pedir solicitar preguntar reservar saber conocer comprobar consultar hacer buscar cancelar cambiar comprar"
        " obtener ver pagar enviar hablar informarme registrar registrarme tramitar descubrir encontrar modificar"
    ),
    statement=pattern(
        r"(?:el|la|los|las|mi|mis|yo|este|esta)\b(?: [^ ]+){0,4} "
        r"(?:es|son|está|están|tiene|tienen|tengo|debe|deben|necesito)\b"
    ),
    correct=pattern(r"es correct[oa]", r"correct[oa] ?\?", r"está bien"),
    confirm=pattern(
        r"para confirmar",
        r"es correct[oa]",
        r"(?:correct[oa]|seguro|vale) ?\?",
        r"está bien",
        r"de acuerdo",
        r"(?:lo |la )?confirm(?:a|as|o)\b",
        r"(?:quiere|desea|quieres|deseas) (?:que )?(?:confirm|continu|proced|realiz|tramit)\w*",
    ),
    more=pattern(
        r"algo más", r"alguna otra", r"otra cosa", r"algún otro", r"nada más ?\?", r"añadir algo", r"más ayuda"
    ),
    how_many=pattern(r"cuánt[oa]s\b", r"qué cantidad\b"),
    offer=pattern(r"(?:quieres?|deseas?|necesitas?)\b", r"(?:le|te) (?:gustaría|apetece)\b"),
    request=pattern(
        r"por favor,? (?:indi|di|de|intro|elij|elig|selec|especi|envi|escri|propor|facil)\w*",
        r"(?:indique|indica|dime|dígame|necesito|introduzca|introduce)(?:me|nos)?\b",
    ),
    options=pattern(r"[ou]\b"),
    or_="o",
    facts={
        "name": "Me llamo {}.",
        "phone": "Mi teléfono es {}.",
        "email": "Mi correo es {}.",
        "address": "Mi dirección es {}.",
        "age": "Tengo {} años.",
        "birth_date": "Nací el {}.",
        "availability": "Puedo {}.",
        "budget": "Puedo gastar hasta {}.",
    },
    asides={
        "why_asked": ("¿Por qué lo pregunta?",),
        "doubt": (
            "Espero poder fiarme.",
            "Ya veremos.",
        ),
        "newcomer": (
            "Todo esto es nuevo para mí.",
            "Nunca he hecho esto.",
        ),
        "curt": (
            "Oiga.",
            "A ver si me escucha.",
        ),
        "please": ("por favor",),
        "thanks": (
            "Gracias.",
            "Muchas gracias.",
        ),
        "hurry": (
            "Tengo prisa.",
            "No tengo mucho tiempo.",
        ),
        "too_long": (
            "Eso ha sido demasiado largo.",
            "Sea más breve.",
        ),
        "complaint": (
            "Esto es ridículo.",
            "Estoy perdiendo el tiempo.",
        ),
        "why_needed": ("¿Para qué lo necesita?",),
        "sure": ("¿Está seguro?",),
        "why": ("¿Y eso por qué?",),
        "meaning": (
            "Perdone, ¿qué significa {}?",
            "¿Qué es {}?",
        ),
        "remark": (
            "Aquí lleva lloviendo todo el día.",
            "Justo se lo contaba a una amiga.",
        ),
        "hesitation": (
            "Pues, déjeme pensar.",
            "Eh, no sé muy bien cómo decirlo.",
        ),
    },
    courtesy=re.compile(r"(?i),? ?\b(?:por favor|muchas gracias|gracias)\b,? ?"),
)
