"""Portuguese words by which replies and goals are read."""

from sparring.extraction.speech_words.speech_words import SpeechWords

PORTUGUESE = SpeechWords(
    unknown=(
        r"não (?:o |a )?(?:sei|sabemos|conheço|disponho|dispomos)\b",
        r"não (?:tenho|temos) (?:essa |nenhuma |esta |acesso|a )?(?:informaç|ideia|dad|acesso)",
        r"(?:um momento|um instante|um segundo|um minuto|aguarde)\b",
        r"(?:deixe-me|deixa eu|vou|preciso) (?:verificar|consultar|conferir|checar|perguntar)",
        r"(?:erro|falha|problema técnico|fora do ar)\b",
        r"não (?:posso|podemos|consigo|conseguimos) (?:\w+ )?(?:dizer|ajud|respond|encontr|acess|inform)\w*",
        r"não (?:tenho|temos) certeza\b",
        r"não estou cert[oa]\b",
    ),
    denies=(
        r"(?:não|nunca|jamais|nenhum\w*|nada|sem|nem|tampouco|exceto|infelizmente|lamentavelmente|lamento"
        r"|sinto muito)\b",
        r"(?:desculp\w+|esgotad[oa]s?|impossível|fechad[oa]s?|lotad[oa]s?|indisponíve\w+|apenas (?:temos|oferecemos)"
        r"|só (?:temos|oferecemos|vendemos)|expirad[oa]s?|tarde demais|recus\w+)\b",
    ),
    undone=(
        r"(?:cancelad|anulad|rejeitad|recusad|desmarcad)[oa]s?\b",
        r"não (?:foi |está )?(?:salv|reservad|feit|confirmad|registrad|marcad)[oa]\b",
    ),
    agrees=(
        r"(?:ok|okay|sim|claro|certo|certamente|combinado|entendido|perfeito|pronto|tudo bem|está bem"
        r"|com certeza|feito"
        r"|ótimo|prontinho)\b",
        r"(?:anotad|confirmad|reservad|adicionad|cancelad|registrad|marcad|agendad|alterad|encomendad"
        r"|incluíd)[oa]s?\b",
        r"(?:confirmo|confirmamos|anotei|reservei|registrei|marquei|agendei|adicionei|cancelei)\b",
    ),
    completes=(
        r"(?:anotad|confirmad|reservad|cancelad|registrad|marcad|agendad|alterad|realizad|concluíd|finalizad"
        r"|feit)[oa]s?\b",
        r"(?:pronto|prontinho)\b",
    ),
    requests=(
        r"por favor,? (?:me |nos )?(?:inform|dig|dê|indiq|escolh|selecion|especifiq|envi|escrev|forne|digit"
        r"|confirm|pass"
        r"|deix)\w*",
        r"(?:informe|diga|indique|escolha|digite|selecione|forneça)(?:-me|-nos)?\b",
        r"(?:me|nos) (?:informe|diga|dê|indique|envie|passe|fale|forneça)\b",
        r"(?:preciso|precisamos) (?:de |do |da )(?:seu|sua|saber|um|uma)?",
        r"(?:digite|responda|pressione)[^\w]+\w+[^\w]+(?:para|se)",
    ),
    refuses=(
        r"não (?:\w+ )?(?:posso|podemos|oferecemos|vendemos|temos|tenho|servimos|fazemos|aceitamos|entregamos|é|está"
        r"|estão|há|consigo|conseguimos|dispomos|trabalhamos|realizamos)\b",
        r"(?:infelizmente|lamentavelmente|impossível|esgotad[oa]s?|lotad[oa]s?|indisponíve\w+)\b",
        r"(?:desculpe,? (?:mas )?não|nenhum\w* (?:mesa|vaga|horário))\b",
    ),
    conditions=(r"(?:se|quando|uma vez|depois|assim que|até que|caso|enquanto)",),
    fails=(
        r"(?:erro do servidor|erro:|ocorreu um erro|erro interno|tempo esgotado)",
        r"(?:algo deu errado|tente (?:novamente )?mais tarde)",
    ),
    paraphrases=(
        r"(?:você |o senhor |a senhora )?(?:quer|deseja|gostaria|procura|está procurando)\b",
        r"parece que (?:você )?(?:quer|deseja)\b",
    ),
    corrects=(
        r"(?:não|na verdade|aliás|desculpe|espere|quis dizer|quero dizer|eu disse|mude|troque|melhor|pensando melhor"
        r"|em vez)\b",
    ),
    more=(r"(?:mais alguma|algo mais|mais algo|outra coisa|algum outro|mais nada|só isso|em que mais)\b",),
    confirms=(
        r"(?:corret[oa]|certo|confirm\w*|de acordo|isso mesmo|tudo bem|tem certeza|prossigo|combinado)\b",
        r"(?:quer que eu|deseja que eu|posso (?:\w+ )?(?:confirmar|prosseguir|proceder|reservar|finalizar"
        r"|concluir|enviar"
        r"|marcar|agendar|cancelar|registrar|fechar)|devo (?:confirmar|prosseguir|reservar|cancelar))\b",
    ),
    repeats=(r"(?:então,? )?(?:você |o senhor |a senhora )?(?:disse|pediu|quer|deseja|gostaria)\b",),
    interrogative=(
        r"(?:saber|conhecer|descobrir|informar-me)\b",
        r"(?:que|o que|quem|quando|onde|como|quanto|quanta|quantos|quantas|por que|qual|quais)\b",
        r"a que horas?\b",
    ),
    yes_or_no_question=(r"(?:se|há|tem|têm|é possível|posso|pode|vocês|aceitam|oferecem|fazem|entregam|existe)\b",),
    yes_or_no=(r"(?:sim|não|claro|certamente|com certeza|infelizmente não)\b",),
    open=(
        r"(?:o que|quem|quando|onde|como|quanto|quanta|quantos|quantas|por que|qual|quais)\b",
        r"que (?:horas?|dia|tamanho|tipo|data|sabor|cor|nome|endereço|número)\b",
    ),
    wanted={
        "place": (
            r"(?:pedir|peço|encomend\w*|reserv\w*|comprar|marcar|agendar|adicionar|registr\w*|inscrev\w*|alugar"
            r"|fazer um"
            r" pedido)\b",
        ),
        "cancel": (r"(?:cancel\w*|anul\w*|desmarcar|excluir|remover|apagar)\b",),
        "return": (r"(?:devol|reembols)\w*",),
        "change": (
            r"(?:mudar|mud[eo]|trocar|troco|alter(?:ar|e|ação)|modific\w*|atualiz\w*|remarcar|reagendar|substituir)\b",
        ),
        "block": (r"(?:bloque|congel|suspend|desativ)\w*",),
        "activate": (r"(?:desbloque|ativ|reativ|redefin)\w*",),
        "send": (r"(?:enviar|envi[eo]|envio|mandar|transfer\w*|encaminhar)\b",),
        "pay": (r"(?:pagar|pago|pague|pagamento|recarreg\w*)\b",),
        "extend": (r"(?:renovar|renov\w*|prorrog\w*|estender)\b",),
    },
    reported={
        "place": (
            r"(?:pedid[oa] (?:foi |está )?(?:feit|realizad|registrad)|encomendad|reservad|comprad|adicionad|anotad"
            r"|registrad|inscrit|marcad|agendad|incluíd|alugad|criad)[oa]s?\b",
            r"(?:reservei|anotei|registrei|marquei|agendei|adicionei)\b",
            r"(?:obrigad[oa]|agradecemos) (?:pelo seu pedido|pela sua (?:reserva|compra)|pelo pedido)\b",
        ),
        "cancel": (r"(?:cancelad|anulad|desmarcad|excluíd|removid)[oa]s?\b", r"(?:cancelei|desmarquei)\b"),
        "return": (r"(?:devolvid|reembolsad)[oa]s?\b",),
        "change": (
            r"(?:mudad|trocad|alterad|modificad|atualizad|remarcad|substituíd)[oa]s?\b",
            r"(?:alterei|troquei)\b",
        ),
        "block": (r"(?:bloquead|congelad|suspens|desativad)[oa]s?\b",),
        "activate": (r"(?:desbloquead|ativad|reativad|redefinid)[oa]s?\b",),
        "send": (r"(?:enviad|mandad|transferid|encaminhad)[oa]s?\b",),
        "pay": (r"(?:pag|recarregad|quitad)[oa]s?\b",),
        "extend": (r"(?:renovad|prorrogad|prolongad|estendid)[oa]s?\b",),
    },
    any_done=(
        r"(?:feit|confirmad|concluíd|realizad|processad|finalizad|efetuad)[oa]s?\b",
        r"(?:pronto|prontinho|confirmo|confirmamos|com sucesso)\b",
    ),
    unreal=(
        r"(?:se|quando|uma vez|depois|antes|posso|podemos|pode|quer|deseja|deve|devo|será|serão|vai|vou|vamos|assim"
        r" que|caso|poderia) ",
    ),
    offers=(r"(?:temos|há|oferecemos|vendemos|servimos|disponíve\w+|opç\w+|escolha|custa|custam|preços?)\b",),
    kinds={
        "duration": (r"(?:quanto tempo|quanto (?:demora|dura)|duração)\b",),
        "amount": (r"(?:quanto (?:custa|custam|é|fica|sai|vale)|preços?|custo|custos|tarifas?|taxas?|o valor)\b",),
        "hours": (r"(?:horários?|a que horas? (?:abre|fecha)|quando (?:abre|fecha|estão abertos))",),
        "number": (r"quant[oa]s\b",),
        "time": (r"(?:quando|a que horas?|que horas|que dia|qual (?:a )?data)\b",),
        "contact": (r"(?:telefone|endereço de e-?mail|contat\w+|contact\w*)",),
        "place": (r"(?:onde|endereço)\b",),
        "list": (
            r"(?:quais|que) (?:são|tipos|opções|tamanhos|sabores)\b",
            r"(?:quais|que) (?:\w+ )?(?:vocês )?(?:têm|há|oferecem|vendem)",
        ),
        "how": (r"(?:como|o que (?:devo|preciso|tenho que) fazer)\b",),
    },
)
