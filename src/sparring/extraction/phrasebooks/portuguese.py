"""Portuguese phrasebook."""

import re

from sparring.extraction.phrasebooks.phrasebook import Phrasebook, starts_with
from sparring.extraction.tokens import pattern

PORTUGUESE = Phrasebook(
    want=("Eu queria {}.", "Gostaria de pedir isto: {}.", "Eu queria {}, por favor."),
    want_to=("Eu queria {}.", "Gostaria de {}, por favor."),
    again=("Desculpe, eu quis dizer: {}.", "Digo de outra forma: {}.", "{}"),
    value=("{}", "{}, por favor."),
    tell=("Pode me dizer {}?", "Poderia me informar {}, por favor?", "Qual é {}?"),
    yes=("Sim, por favor.", "Sim, está certo."),
    no=("Não, mas agradeço.", "Não, não precisa."),
    wrong=("Não, não está certo. {}", "Não, não é isso. {}"),
    that_is_all=("Não, é só isso, agradeço.", "Não, mais nada, agradeço."),
    one=("Só uma unidade, por favor.", "Só uma unidade."),
    any_will_do=("Para mim tanto faz.", "Como preferir."),
    goodbye=("Agradeço, até logo.", "Agradeço pela ajuda, tenha um bom dia."),
    unknown=("Não tenho essa informação.", "Infelizmente não sei."),
    wait=("Está bem.", "Está bem, eu aguardo."),
    handed_over=("Está bem, agradeço, até logo.", "Certo, agradeço, tenha um bom dia."),
    why=("Por quê?", "E por que não?"),
    able=("Pode me ajudar com isto: {}?", "Vocês cuidam disto: {}?"),
    without=("Então fico sem ({}), agradeço.", "Então deixo de lado ({}), agradeço."),
    instead=("Então {}, por favor.", "Está bem, fico com {}."),
    misheard=("Não, {}.", "Não, eu disse {}."),
    not_wanted=("Não, eu não pedi {}.", "Não, eu não quero {}."),
    too_expensive=("Não, é mais do que quero gastar.",),
    openers=(
        "Agradeço muito por dedicar o seu tempo a ler tudo isto.",
        "Já faz bastante tempo que penso nisso.",
        "É toda uma história, por isso peço um pouco de paciência.",
        "A minha vizinha me disse hoje de manhã que era melhor escrever diretamente para vocês.",
    ),
    closers=(
        "Espero que esteja claro o suficiente.",
        "Isso realmente alegraria o meu dia, porque espero por isso a semana inteira.",
        "Responda quando puder, mesmo que demore um pouco.",
        "Desculpe escrever tanto, é o meu jeito de ser.",
    ),
    change=("Na verdade, troque {old} por {new}, por favor.", "Pensando melhor, troque {old} por {new}."),
    change_back=("Desculpe, troque {old} de novo por {new}.", "Não, espere, volte a trocar {old} por {new}."),
    and_="e",
    order_words=starts_with("primeiro segundo terceiro depois então finalmente"),
    verbs=starts_with(
        "pedir encomendar solicitar perguntar reservar saber conhecer verificar consultar encontrar cancelar mudar"
        " trocar comprar obter pagar enviar falar registrar cadastrar devolver informar acompanhar ter marcar agendar"
        " adicionar remover abrir fechar alterar remarcar bloquear transferir alugar fazer ver renovar descobrir"
    ),
    statement=pattern(
        r"(?:o|a|os|as|meu|minha|meus|minhas|eu|nós|isto|este|esta)\b(?: [^ ]+){0,4} "
        r"(?:é|são|está|estão|tem|têm|tenho|deve|devem|preciso|foi|era)\b"
    ),
    correct=pattern(
        r"(?:está|é|tudo) (?:tudo )?(?:certo|corret[oa]|ok|bem|isso)(?: assim)?(?: mesmo)? ?\?",
        r"(?:corret[oa]|certo) ?\?",
    ),
    confirm=pattern(
        r"para confirmar\b",
        r"(?:está|é|tudo) (?:tudo )?(?:certo|corret[oa]|isso mesmo)\b",
        r"(?:corret[oa]|certo|certeza|de acordo|ok|isso mesmo|tudo bem|pode ser|combinado) ?\?",
        r"(?:você |o senhor )?confirma\b",
        r"(?:pode|poderia|quer|deseja|gostaria de|vamos) (?:que eu )?(?:\w+ )?(?:confirm|prossig|proced|continu|finaliz"
        r"|conclu)\w*",
        r"(?:quer|deseja) que eu (?:\w+ )?(?:faca|reserve|confirme|envie|marque|agende|cancele|registre|finalize)",
        r"(?:posso|podemos|devo) (?:\w+ )?(?:confirm|prosseg|proced|reserv|finaliz|conclu|envi|marc|agend|cancel"
        r"|registr|fechar|fazer)\w*",
        r"(?:confirmo|reservo|prossigo|finalizo) ?\?",
        r"tem certeza\b",
    ),
    more=pattern(
        r"(?:mais )?alguma (?:outra )?(?:coisa|dúvida|pergunta)",
        r"algo mais",
        r"mais algo\b",
        r"algum outro",
        r"outra coisa",
        r"mais alguma\b",
        r"(?:(?:mais )?nada(?: mais)?|só isso|é tudo|seria só) ?\?",
        r"adicionar (?:algo|alguma)",
        r"mais ajuda",
        r"em que mais\b",
    ),
    how_many=pattern(r"quant[oa]s\b", r"(?:que|qual a?) ?quantidade\b"),
    offer=pattern(
        r"(?:quer|deseja|gostaria(?: de)?|prefere|precisa(?: de)?|aceita)\b",
        r"(?:posso|podemos) (?:lhe |te )?oferecer",
        r"que tal\b",
    ),
    request=pattern(
        r"por favor,? (?:me |nos )?(?:inform|dig|dê|indiq|escolh|selecion|especifiq|envi|escrev|forne|digit|confirm"
        r"|pass|deix)\w*",
        r"(?:informe|diga|indique|escolha|digite|selecione|escreva|forneça|envie|passe)(?:-me|-nos)?\b",
        r"(?:me|nos) (?:informe|diga|dê|indique|envie|passe|fale|forneça)\b",
        r"(?:preciso|precisamos|precisaria) (?:de |do |da |saber |que )",
        r"(?:falta|faltam) (?:apenas |só )?(?:o|a|os|as|seu|sua)\b",
    ),
    options=pattern(r"ou\b"),
    or_="ou",
    facts={
        "name": "Meu nome é {}.",
        "phone": "Meu telefone é {}.",
        "email": "Meu e-mail é {}.",
        "address": "Meu endereço é {}.",
        "age": "Tenho {} anos.",
        "birth_date": "Minha data de nascimento: {}.",
        "availability": "Posso: {}.",
        "budget": "Posso gastar até {}.",
    },
    asides={
        "why_asked": ("Por que pergunta?",),
        "doubt": ("Espero poder confiar nisso.", "Bem, veremos."),
        "newcomer": ("Tudo isto é novo para mim.", "Nunca fiz isto antes."),
        "curt": ("Escute.", "Preste atenção."),
        "please": ("por favor",),
        "thanks": ("Agradeço.", "Agradeço muito."),
        "hurry": ("Estou com pressa.", "Não tenho muito tempo."),
        "too_long": ("Isso foi longo demais.", "Seja breve, por favor."),
        "complaint": ("Isto é ridículo.", "Estou perdendo o meu tempo."),
        "why_needed": ("Para que precisa disso?",),
        "sure": ("Tem certeza?",),
        "why": ("E por que isso?",),
        "meaning": ("Desculpe, o que significa {}?", "O que é {}?"),
        "remark": ("Aqui está chovendo o dia todo.", "Eu falava disso agora mesmo com uma amiga."),
        "hesitation": ("Bem, deixe-me pensar.", "Hum, não sei bem como dizer."),
    },
    courtesy=re.compile(
        r"(?i),? ?\b(?:por favor|muito obrigad[oa]|obrigad[oa]|agradeço muito|agradeço pela ajuda|agradeço)\b,? ?"
    ),
)
