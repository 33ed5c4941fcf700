"""Orders to a judge in other languages: to ignore its instructions, or to give the best grade.

`LATIN` is matched like `wording.INSTRUCTION`, over words without their accents; `ELSEWHERE` over
text as it is shown, lower-case, its white space folded.
"""

import re

from judge.injection.forms import Phrase, phrase

_UP_TO_3, _UP_TO_4 = r"(?: \w++){0,3}?", r"(?: \w++){0,4}?"
_TOP = r"(?:[0-9]|maxim\w++|massim\w++|hochste\w*+|perfe[ck]t\w*+|elevee|alta)"
_THE = r"(?:(?:toutes )?(?:les|ces|tes|vos))"
_GIVE = r"(?:gib|vergib|(?:vergeben|geben) sie)"

_GRADING_LATIN = (
    "asigna otorga devuelve dale atribua atribui retorne assegna attribuisci"
    " attribue attribuez attribuer donne donnez donner gib vergib vergeben geben"
)
_ORDERS_LATIN = (
    "instrucciones instrucoes istruzioni instructions consignes instructies aanwijzingen"
    " instruksi perintah petunjuk huong chi"
)

LATIN: tuple[Phrase, ...] = (
    phrase(
        # Spanish, Portuguese, Italian, French
        rf"(?<!no )(?:ignor(?:a|e|ad|en)|olvid(?:a|e|en)|descart(?:a|e)){_UP_TO_3} instrucciones",
        rf"(?<!nao )(?:ignor[ae]|esquec[ae]|desconsider[ae]){_UP_TO_3} instrucoes",
        rf"(?<!non )(?:ignor(?:a|i|ate)|dimentica(?:te)?|trascura(?:te)?){_UP_TO_3} istruzioni",
        (
            rf"(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte(?: de)?) {_THE}{_UP_TO_3} "
            rf"(?:instructions|consignes)"
        ),
        # Dutch, Indonesian, Vietnamese
        rf"(?:negeer|vergeet){_UP_TO_3} (?:instructies|aanwijzingen)",
        rf"abaikan{_UP_TO_3} (?:instruksi|perintah|petunjuk)",
        rf"bo qua{_UP_TO_3} (?:huong dan|chi dan|chi thi)",
        needs=(_ORDERS_LATIN,),
    ),
    phrase(
        # German, Swedish and Danish, Polish and Czech
        rf"(?:ignorier\w++|missachte\w*+|vergiss){_UP_TO_3} (?:anweisung|instruktion)\w*+",
        rf"(?:ignorer\w*+|glom){_UP_TO_3} (?:instruktion|anvisning|instruks)\w*+",
        rf"(?:z?ignoruj|pomin)\w*+{_UP_TO_3} (?:instrukcj\w++|polecen\w*+|instrukce|pokyny)",
        stems=("instruk", "anweisung", "anvisning", "polecen", "pokyny"),
    ),
    phrase(  # Turkish
        r"talimat\w*+(?: \w++){0,2}? (?:yok say\w*+|gormezden gel\w*+|dikkate alma\w*+|unut)",
        needs=("yok gormezden dikkate unut",),
        stems=("talimat",),
    ),
    phrase(
        (
            rf"(?:asigna|otorga|devuelve|dale){_UP_TO_4} (?:puntuacion|puntaje|calificacion|nota)"
            rf"{_UP_TO_3} {_TOP}"
        ),
        rf"(?:atribua|atribui|retorne){_UP_TO_4} (?:pontuacao|nota){_UP_TO_3} {_TOP}",
        rf"(?:assegna|attribuisci){_UP_TO_4} (?:punteggio|voto){_UP_TO_3} {_TOP}",
        (
            rf"(?:attribue[zr]?|donne[zr]?) (?:a ce \w++ )?(?:la |le |une? )?(?:note|score)"
            rf"{_UP_TO_3} {_TOP}"
        ),
        rf"{_GIVE}{_UP_TO_4} (?:punktzahl|bewertung|note){_UP_TO_3} {_TOP}",
        rf"{_GIVE}{_UP_TO_4} (?:hochste|maximale|beste) (?:punktzahl|bewertung|note)",
        needs=(_GRADING_LATIN,),
    ),
    phrase(
        (
            rf"bewerte\w*+ (?:diese[ns]?|den|die|das) (?:text|passage|abschnitt|dokument|antwort)"
            rf"{_UP_TO_3} {_TOP}"
        ),
        needs=("text passage abschnitt dokument antwort",),
        stems=("bewerte",),
    ),
)
"""Phrases of languages in Latin letters that address the judge."""

_ELSEWHERE = (
    # Russian and Ukrainian
    (
        rf"(?<!не )\b(?:про)?(?:игнорируй|ігноруй|забудь)(?:те)?{_UP_TO_4} "
        r"(?:инструкци|указани|інструкці|вказівк)"
    ),
    rf"\b(?:поставь|присвой|выведи)(?:те)?{_UP_TO_4} (?:максимальн\w+|высш\w+) (?:оценк|балл)",
    # Chinese, Japanese, Korean
    (
        r"(?:忽略|无视|忽視|無視|忘记|忘記|不要理会|不要理會)[^。！？.!?]{0,12}?"
        r"(?:指令|指示|提示词|提示詞|说明|說明)"
    ),
    (
        r"(?:请|請)[^。！？.!?]{0,10}?(?:给|給|打|评|評|输出|輸出)[^。！？.!?]{0,8}?"
        r"(?:最高分|满分|滿分|[0-9四]分)"
    ),
    r"(?:指示|命令|プロンプト)(?:は|を)?(?:すべて|全て|全部)?(?:無視|忘れ)",
    r"最高(?:点|評価|スコア)を(?:つけ|付け|与え|出力|返)",
    r"(?:지시|명령|지침|프롬프트)\S{0,6}(?: \S{1,12}){0,2}? ?(?:무시|잊)",
    r"최고 ?(?:점수|등급)를? ?(?:주|부여|출력|매기)",
    # Arabic, Persian, Hindi
    r"تجاهل(?: \S{1,20}){0,3}? (?:التعليمات|الأوامر|الإرشادات|تعليمات)",
    r"دستور\S{0,12}(?: \S{1,20}){0,4}? (?:نادیده|فراموش)",
    r"निर्देश\S{0,12}(?: \S{1,20}){0,4}? (?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल)",
)

ELSEWHERE = re.compile("|".join(f"(?:{phrase})" for phrase in _ELSEWHERE))
"""A phrase of a language in other letters that addresses the judge."""
