"""English words by what they do to a statement, and the words of several languages that are capitalised without being names."""

from __future__ import annotations

from typing import Final

from mindlog.knowledge.wordlist import wordlist

__all__ = [
    "ADVERBS",
    "AUXILIARIES",
    "BE",
    "CAPITALISED",
    "CUTS",
    "GERMAN",
    "HEDGES",
    "MODALS",
    "NEGATIONS",
    "NO_NAMES",
    "NO_OBJECT",
    "RESETS",
]

ADVERBS: Final = wordlist(
    """
now currently recently just still also always really actually finally both all already usually often sometimes
mostly absolutely totally especially definitely truly eventually later first once ever since generally quite
very so much happily formerly previously originally personally temporarily permanently only
"""
)
BE: Final = wordlist("am is are 'm 's 're was were been being")
AUXILIARIES: Final = BE | wordlist("have has had 've do does did")
MODALS: Final = wordlist(
    """
might may could would should can ca must will wo 'll 'd shall going gonna to want wants wanted hope hopes plan
plans planning planned hoping need needs used try tried trying decide decided considering thinking about wish
let supposed about probably maybe perhaps possibly almost nearly
"""
)
"""Between subject and verb they make of a fact a wish, a plan or a guess."""

NEGATIONS: Final = wordlist("n't not never no longer hardly barely neither nor without")
HEDGES: Final = wordlist(
    """
if unless whether suppose supposing imagine imagining wish wishes wished maybe perhaps pretend pretends dream
dreams dreamed dreamt dreaming hope hopes hoping wonder wonders wondered guess suspects suspect joked joking
allegedly rumor rumour rumors hypothetically assume assuming could would might should doubt doubts nobody
"""
)
"""Before a subject they make what follows no fact, up to one of `RESETS`."""

RESETS: Final = wordlist("but ; because : though although however")
"""They begin a clause that stands on its own."""

CUTS: Final = wordlist(
    """
and or but because when while since that which who whom whose if though although so than then as until till
where whenever in on at for with from by about during after before over under near into onto through without
within via like into to is are was were am be been has have had do does did will would can could should may
might must 's 'm 're now too anymore today yesterday tomorrow tonight these this very really again though
currently recently instead either already right also last next every each once twice ago here there lately
sometimes always never often usually named coming going made up out down called more most best a-lot anyway please thanks btw i he she they we
you it titled entitled
"""
)
"""They end a thing that is named in lower case."""

NO_OBJECT: Final = wordlist(
    """
it you that him her them this these those how when what why who your his their me us there here everything
something nothing anything everyone someone nobody being having not if everywhere anywhere somewhere nowhere makes helps gives keeps brings
"""
)
"""What begins with one of these names nothing."""

GERMAN: Final = wordlist(
    """
ich der die das und ist nicht ein eine wir mit den dem zu im auf für wohnt arbeitet sind war hat
"""
)

# Capitalised at the start of a sentence or by custom, and no names.
_ENGLISH = """
a an the this that these those i i'm we you he she it they my your his her its our their mine me us him them who what when where why how
which whose and or but so if then than because although though while since until unless after before during as at by for from in into of
off on onto out over to up with without about above across against along among around behind below beneath beside between beyond despite
down inside like near past per through toward towards under upon via within yes no not never nor ok okay yeah yep nope hi hey hello dear
thanks thank please sorry well oh ah wow great good nice cool sure right wrong maybe perhaps also just only even still yet already again
always often sometimes usually rarely recently lately today yesterday tomorrow tonight now later soon earlier once twice first second
third last next finally eventually suddenly meanwhile however therefore moreover furthermore instead otherwise anyway actually basically
clearly apparently unfortunately fortunately luckily hopefully honestly personally generally specifically currently previously
originally here there everywhere everyone everybody everything someone somebody something anyone anybody anything nobody nothing none
all any both each every either neither few many more most much several some such other another same one two three four five six seven
eight nine ten is are was were am be been being do does did done have has had having will would shall should can could may might must
let lets get got go went come came make made take took see saw know knew think thought say said tell told ask asked need needs want wants
like likes love loves use used try tried keep kept put set give gave find found feel felt look looked run ran call called work works
suppose imagine remember note check add remove fix update create open close start stop read write show send buy bring meet move moved
working living being going looking trying using having doing making taking getting speaking born raised my mom mum dad mother father
sister brother friend monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april
june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm ad bc tv todo fyi asap btw
imo lol omg faq ok id q1 q2 q3 q4 mr mrs ms dr prof sir god mom christmas easter english french german spanish italian portuguese chinese
japanese russian arabic hindi korean american british european dutch swedish danish norwegian finnish polish greek turkish indian
bye goodbye anytime yay aww aw awww awwww haha hehe welcome congrats whoa woah phew gosh absolutely definitely totally exactly true agreed
woohoo woo yup ya nah ugh hmm hmmm mmm mm yum yikes oops ouch damn dang heck bummer looky lemme wanna gonna gotta kinda sorta dunno lots tons
plenty loads lately tues thurs weds fav fave veggies
guess hang hold glad happy awesome amazing wonderful interesting congratulations happy merry whatever whenever wherever people things part new old big long little really very too quite rather almost
ago back away together apart breakfast lunch dinner coffee tea water music weekend weekends morning afternoon evening night
the team meeting project question answer everyone's nobody's user assistant error warning info debug version chapter section figure table
"""
_OTHERS = """
el la los las un una unos unas yo tú él ella nosotros ellos ellas mi mis tu tus su sus y o pero si cuando donde como que qué quién cómo
por para con sin en de del al ayer hoy mañana ahora después antes también muy más este esta esto ese esa hay es son fue era ser está
están no sí gracias hola lunes martes miércoles jueves viernes sábado domingo cada todo todos nuestra nuestro según desde hasta
le les je tu il elle nous vous ils elles mon ma mes ton ta tes son sa ses notre votre leur et ou mais donc car si quand où comme qui que
dans sur sous avec sans pour par chez hier aujourd'hui demain maintenant après avant aussi très plus ce cet cette ces est sont était
lundi mardi mercredi jeudi vendredi samedi dimanche bonjour merci oui non c'est
der die das den dem des ein eine einen einem einer ich du er sie es wir ihr mein meine dein sein seine unser und oder aber wenn als wo wie
was wer warum weil in im an am auf aus bei mit nach von vom vor zu zum zur für über unter gestern heute morgen jetzt dann danach auch sehr
mehr dieser diese dieses ist sind war waren hat haben ja nein danke hallo montag dienstag mittwoch donnerstag freitag samstag sonntag
o os as um uma eu ele ela nós eles elas meu minha seu sua e ou mas se quando onde como em no na nos nas do da dos das com sem por para
ontem hoje amanhã agora depois antes também muito il lo gli i uno io lui lei noi loro mio mia suo sua anche molto ieri oggi domani dopo
az egy és vagy de ha mikor hol mint aki ami én te ő mi ti ők ma tegnap holnap most után előtt is nem igen ez
я ты он она оно мы вы они мой моя моё мои твой наш наша ваш его её их и или но а если когда где как что кто почему потому в во на с со к
ко у о об от до по за из для без при под над после перед вчера сегодня завтра сейчас теперь потом тоже также очень ещё уже это этот эта
эти тот та те все всё весь вся каждый не нет да был была были есть понедельник вторник среда четверг пятница суббота воскресенье
здравствуйте привет спасибо пожалуйста однако поэтому затем недавно давно иногда всегда никогда там здесь тут ми ви він вона вони вчора
сьогодні
ο η το οι τα ένας μία ένα εγώ εσύ αυτός αυτή και ή αλλά αν όταν πού πως χθες σήμερα αύριο τώρα μετά πριν με σε από για στο στη στην
"""
CAPITALISED: Final = frozenset((_ENGLISH + _OTHERS).split()) | {"'s", "'m", "'ve", "'ll", "'re", "'d", "n't"}
NO_NAMES: Final = wordlist(
    """
ceo cto cfo coo vp hr i ok todo fyi asap btw imo lol omg faq id tv am pm ad bc api url http https json sql html css pdf ai ui ux
"""
)
"""Words in capitals that name nothing of their own."""
