"""Portuguese words in which users are described."""

from sparring.extraction.role_words.role_words import RoleWords, matching, words

_ARE = r"(?:você é|tu és|eu sou)"
_ID = r"pedido|conta|reserva|cliente|apólice|processo|bilhete|fatura|rastreio|rastreamento|passaporte|cartão"
_SAYINGS = r"(?:frases|respostas|mensagens|perguntas|textos)"

PORTUGUESE = RoleWords(
    named=matching(
        r"(?:seu|teu|meu) nome (?:completo )?é",
        r"(?:você se chama|tu te chamas|me chamo|chamo-me)",
        r"(?:cliente|usuári[oa]|utilizador|pessoa|mulher|homem|estudante|paciente)(?:,)? (?:chamad[oa]|de nome)",
    ),
    are=matching(_ARE),
    not_names=words("português portuguesa brasileiro brasileira inglês inglesa espanhol espanhola um uma o a não"),
    persons=matching(r"(?:um|uma) (?:\w+ ){0,2}(?:cliente|usuári[oa]|utilizador|pessoa|mulher|homem|estudante)\b"),
    own=matching(r"(?:seu|sua|teu|tua|meu|minha) ((?:[\w'-]+ ){0,3}[\w'-]+) é(?: o| a)? "),
    has_called=matching(r"(?:você tem|tens|tenho) (?:um|uma) (?:\w+ )?(\w+) (?:chamad[oa]) "),
    address=matching(r"(?:mora|moras|moro|vives) (?:na|no|em) ", r"endereço (?:é|:) ", r"entregar (?:na|no|em) "),
    street=matching(
        r"(?:rua|avenida|av\.|praça|travessa|alameda|estrada|largo) (?:[\w'-]+ ){0,4}[\w'-]+,? (?:n[.º°]* ?)?\d{1,4}"
    ),
    age=matching(r"(?:tem|tens|tenho|idade é|idade:) (\d{1,3}) anos\b", r"de (\d{1,3}) anos\b"),
    born=matching(r"(?:nasceu|nasci|nascid[oa]|data de nascimento|aniversário)\b"),
    budget=matching(
        r"(?:no máximo|não mais (?:de|do que)|até|orçamento (?:de|é|é de|:)|máximo de|gastar mais (?:de|do que)"
        r"|limite de)"
        r" (?:r)?$"
    ),
    code=matching(rf"(?:número |código )?(?:d[oa] |de )?({_ID})(?: (número|n\.?º?|código))?:?(?: é)?(?: o| a)? #?$"),
    available=matching(r"(?:livre\b|disponíve|disponibilidade)", r"(?:pode|podes|posso) (?:vir|ir)", r"tem tempo"),
    weekdays=(
        "segundas?-feiras?",
        "terças?-feiras?",
        "quartas?-feiras?",
        "quintas?-feiras?",
        "sextas?-feiras?",
        "sábados?",
        "domingos?",
    ),
    day_groups={
        r"dias úteis|durante a semana": (0, 1, 2, 3, 4),
        r"fi(?:m|ns) de semana": (5, 6),
        r"(?:todos os dias|qualquer dia)": tuple(range(7)),
    },
    parts_of_day={
        r"(?:de|da|pela) manhã": (6 * 60, 12 * 60),
        r"(?:à|da|pela) tarde": (12 * 60, 18 * 60),
        r"(?:à|da|pela) noite": (18 * 60, 23 * 60),
    },
    after=r"(?:depois|após|a partir)(?: das?| as)?",
    before=r"(?:antes|até)(?: das?| as)?",
    between=r"entre(?: as)?",
    except_=r"(?:não|nunca|exceto|menos)(?: na| no| aos| às)?",
    late=r"(?:da tarde|da noite)",
    asked={
        "email": matching(r"e-?mail|correio eletrônico"),
        "phone": matching(r"telefone|celular|telemóvel|número de contato|(?:contactá|contatá|ligar|encontrá)"),
        "birth_date": matching(r"data de nascimento|aniversário|quando (?:nasceu|você nasceu)"),
        "age": matching(r"(?:sua|tua|a) idade\b|quantos anos"),
        "address": matching(r"endereço\b|morada\b|código postal|o cep\b|onde (?:mora|devemos|vive)"),
        "id": matching(rf"(?:número|código|referência) (?:d[oa] |de )?(?:seu |sua )?({_ID})\b"),
        "budget": matching(r"orçamento", r"quanto .{0,30}\b(?:gastar|pagar)\b"),
        "name": matching(
            r"(?:seu|teu|o|qual|em|que) (?:sobre)?nome\b(?! (?:de usuário|do produto|da empresa))",
            r"como (?:você se chama|se chama|te chamas)",
            r"com quem (?:falo|estou)",
        ),
        "availability": matching(
            r"(?:quando|que dia|qual dia|a que horas|que horas|qual (?:a )?data)",
            r"disponíve|disponibilidade",
            r"(?:lhe|te) (?:convém|serve)|fica bo[ma] para",
        ),
    },
    not_own_name=matching(r"nome (?:de usuário|do produto|da empresa|do seu (?!titular))"),
    nouns={
        "name": matching(r"nome(?: \w+)?$"),
        "email": matching(r"(?:e-?mail|endereço de e-?mail)$"),
        "phone": matching(r"(?:número de )?(?:telefone|celular|telemóvel)$"),
        "birth_date": matching(r"(?:data de nascimento|aniversário)$"),
        "address": matching(r"(?:endereço|morada)$"),
        "age": matching(r"idade$"),
        "budget": matching(r"orçamento(?: \w+)?$"),
        "id": matching(rf"(?:número|código) d[oae] (?:{_ID})$"),
        "availability": matching(r"disponibilidade$"),
        "": matching(r"(?:papel|objetivos?|tarefa|tom|estilo|perguntas?|respostas?|mensagens?|frases?)(?: \w+)*$"),
    },
    negation=matching(r"(?:não|nunca|sem|nem|jamais|evite)\b"),
    manners={
        "terse": matching(
            rf"{_SAYINGS} (?:\w+ e )?(?:curtas?|breves|diretas?|simples|concisas?)|breves {_SAYINGS}|lacônic"
            rf"|concis[oa]\b"
            r"|poucas palavras|sim ou não\b|especialista\b"
        ),
        "wordy": matching(rf"tagarela|fala (?:muito|demais)|{_SAYINGS} (?:\w+ )?long[oa]s|detalhad|prolix"),
        "formal": matching(r"formal|educad[oa]\b|cortês|gentil|agradec"),
        "rude": matching(r"mal-?educad|grosseir|com raiva|irritad|insult|agressiv|hostil|zangad"),
        "impatient": matching(r"(?:com|tem) pressa|apressad|impacient|estressad|urgente|pouco tempo"),
        "vague": matching(r"vag[oa]\b|esquecid|distraíd|tímid|insegur|desorganizad|indecis"),
        "sceptical": matching(r"cétic|desconfi|dúvidas\b|suspeit"),
        "curious": matching(r"curios|saber (?:o )?porqu|muitas perguntas"),
        "confused": matching(
            r"confus[oa]\b|idos[oa]\b|de (?:oitenta|setenta|\d\d) anos|(?:pouco|nada) .{0,20}tecnologia"
        ),
        "flexible": matching(r"flexíve|aceita (?:qualquer|outr)|abert[oa] a"),
        "insistent": matching(r"insist|teimos|persistente|não (?:aceita|se contenta)"),
        "adversarial": matching(r"enganar|truque|de graça\b|manipul|ameaç|falar com (?:o|um) (?:gerente|responsável)"),
    },
    hold=matching(
        rf"{_ARE} uma? (?:usuári[oa]|cliente|pessoa|utilizador)\b",
        r"nunca (?:aja|atue|se comporte) como",
        r"não (?:peça|pergunte) (?:mais )?nada",
    ),
    kinds={"cão": "animal", "cachorro": "animal", "cadela": "animal", "gato": "animal"},
)
