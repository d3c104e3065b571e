"""Which of a model's replies a person who looks at two pages would not have given: pure functions over text.

The hard part is to tell a model that got no pictures ("I can't see the image") from a person who misses something on
the page ("I can't see the image in the header"). A picture that cannot be seen at all is followed by the end of the
clause, by how it was sent, or by the conversation; one that is missing has a place on the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from colbench_gym.protocol import ANSWER_MARKER, OUTPUT_MARKER
from colbench_gym.simulators.chat_replies import FAULTS, says_nothing, shingles
from colbench_gym.types import Task

PAGE_FAULTS: Mapping[str, str] = {
    **{name: text for name, text in FAULTS.items() if name != "reference echo"},
    "cannot see": "it claimed that there was nothing to be seen, but the pictures are attached here",
    "code": "it held HTML, style rules or class names",
}
"""Name of a fault -> what was wrong with the reply, as a reminder may say it."""

ECHO_WORDS = 8
"""So many words in a row that also stand in the prompt are no accident; fewer may be: both speak of pages."""

_APOSTROPHE = r"(?:'|\u2019)?"
_I_AM = rf"\bI(?:{_APOSTROPHE}m| am)"
_NOT = rf"n{_APOSTROPHE}t"
_CANNOT = (
    rf"(?:\bI(?: (?:currently|still|really|actually|simply|unfortunately))? "
    rf"(?:can(?:{_APOSTROPHE}t|not| not)|could(?:{_NOT}| not)|(?:won{_APOSTROPHE}t|will not) be able to)"
    rf"|(?:(?:{_I_AM}|\bI was) (?:currently |still )?|(?:^|[,.!?:;] *))(?:unable|not able) to"
    rf"|{_I_AM} (?:not capable|incapable) of"
    r"|\b(?:ability|capability|capacity|means|way) (?:to|of))"
    r"(?: \w+ly)?\s+"
)
_LOOK = (
    r"(?:see|view|access|open|display|load|look at|analy[sz]e|process|interpret|perceive|examine|inspect|compare"
    r"|evaluate|assess|receive|seeing|viewing|accessing|opening|analy[sz]ing|processing|interpreting|comparing)"
)
_LOOKS = rf"{_LOOK}(?:(?:,? (?:or|and)|,) (?:directly )?{_LOOK})*"
_WHICH = (
    r"(?:(?:the|any|an?|your|these|those|this|that|both|either|two|of|actual|attached|uploaded|provided|shared|linked"
    r"|mentioned|visual|first|second|reference|wanted|current|external"
    r"|web ?page|page|website) )*"
)
_SURELY_SENT = (
    r"(?:screen ?shots?|(?:picture|image)s? (?:[12]|one|two)|attachments?"
    r"|attached (?:file|page|image|picture)s?|visuals?|visual (?:content|input)s?)"
)
_SENT = (
    rf"(?:{_SURELY_SENT}|images?|pictures?|photos?|files?|pages?|web ?pages?|websites?|links?|URLs?|designs?|renders?)"
)
_TALK = r"(?:this|our|the|your) (?:chat|conversation|message|context|prompt|request|input|discussion)"
# What may follow when the picture itself was not received. Whatever else follows gives it a place on the page.
_UNRECEIVED = (
    r"(?=\s*(?:[.!?;:)\u2013\u2014]|-|$|,? (?:so|but)\b"
    r"|, (?:please|could|can|as|because|since|I|and I|which|sorry|unfortunately)\b"
    rf"|(?:(?:that|which) )?you(?:{_APOSTROPHE}(?:re|ve)| are| have)? (?:just )?"
    r"(?:mention|refer|sen[dt]|attach|upload|provid|shar|describ|link|talk|creat)"
    r"|(?:attached|uploaded|provided|shared|sent|here|directly|myself|yet|at all|right now"
    rf"|at (?:this|the) (?:time|moment)|on my (?:end|side)|(?:in|from|to|with|as part of) {_TALK}|for me|to me|with me"
    r"|in order to|due to|because I|since I|as I\b"
    r"|to (?:compare|describe|tell|give|judge|comment|answer|provide|identify|make)|(?:or|and|/) "
    rf"{_WHICH}{_SENT})\b))"
)
_ABSENT = r"(?:attached|uploaded|shared|provided|received|sent|given to me|visible to me|available to me)"
_SEND = r"(?:re-?)?(?:upload|attach|share|send|provide|paste|submit|supply)"
_CANNOT_SEE = re.compile(
    rf"{_CANNOT}{_LOOKS} {_WHICH}{_SENT}{_UNRECEIVED}"
    rf"|\bI (?:do{_NOT}|do not) (?:\w+ly )?(?:see|have|find) {_WHICH}(?:{_SURELY_SENT}{_UNRECEIVED}"
    rf"|(?:image|picture|photo|file)s? (?:{_ABSENT}|to (?:compare|look at|work with)|(?:in|with) {_TALK}"
    r"|here(?=\s*[.!?]))(?!\w))"
    rf"|\bI (?:do{_NOT}|do not|have no|lack)(?: have)? (?:any |the )?(?:direct )?"
    rf"(?:(?:access to|visibility (?:of|into)) {_WHICH}{_SENT}{_UNRECEIVED}"
    r"|(?:ability|way) to (?:see|view|look|access|open|perceive)\b|eyes\b|vision\b"
    r"|(?:visual|vision|image) (?:capabilit|abilit|input|processing))"
    r"|\bmy vision\b"
    rf"|\b(?:need|have) to (?:actually )?(?:see|view|look at) {_WHICH}{_SENT}{_UNRECEIVED}"
    rf"|{_CANNOT}(?:tell|know|say) (?:what|how) {_WHICH}{_SENT} looks?\b"
    rf"|\bno {_WHICH}{_SENT} (?:was|were|is|are|has been|have been|seems? to be|appears? to be)? ?(?:actually )?"
    rf"{_ABSENT}{_UNRECEIVED}"
    rf"|\bthere(?:{_APOSTROPHE}s| is| are| was| were| seems? to be| appears? to be) no {_WHICH}{_SENT} "
    rf"(?:{_ABSENT}|for me|(?:in|with) {_TALK})\b"
    rf"|\b{_SENT} (?:did{_NOT}|did not|has{_NOT}|has not|have{_NOT}|have not|do(?:es)?{_NOT} seem to have) "
    r"(?:come|came) through\b"
    rf"|\bthere (?:was|were) no {_WHICH}{_SENT} (?:included|given)(?: with| in) (?:your|this|the) (?:message|request)\b"
    rf"|\b(?:forgot|forgotten) to (?:attach|upload|share|send) {_WHICH}{_SENT}\b"
    rf"|\battached {_SENT} (?:could|can)(?:{_NOT}|not| not) be (?:opened|read|loaded|processed|displayed)\b"
    rf"|\bthere (?:do(?:es)?{_NOT}|do(?:es)? not) (?:appear|seem) to be any {_WHICH}{_SENT} (?:{_ABSENT}|in {_TALK})\b"
    rf"|\b{_SENT} (?:is|are|was|were|has been|have been)(?:{_NOT}| not) (?:included|provided|shared) in {_TALK}\b"
    rf"|\b{_SENT}(?: you (?:sent|shared|attached|uploaded|provided))? "
    rf"(?:did{_NOT}|did not|do(?:es)?{_NOT}|do(?:es)? not|failed to|(?:is|are|was|were)(?:{_NOT}| not)) "
    r"(?:upload(?:ed)?|attach(?:ed)?|load(?:ed)? (?:for me|on my)|display(?:ed)? (?:for me|on my)|arrive|transmit)\b"
    rf"|\byou (?:have{_NOT}|have not|did{_NOT}|did not) (?:yet )?{_SEND}(?:e?d)? {_WHICH}{_SENT}{_UNRECEIVED}"
    rf"|(?:please|(?:could|can|would|will) you|kindly|if you(?: (?:can|could|would))?|try to) "
    rf"(?:please |also |try to )?{_SEND}(?: me)? (?:again )?{_WHICH}{_SENT}"
    r"(?=\s*(?:[.!?,;:)]|$|(?:again|so|here|you|and I|to (?:me|this|our|compare)|for me)\b))"
    rf"|\b(?:please|could you|can you)(?: please)? (?:upload|attach|share|send) {_WHICH}{_SURELY_SENT}\b"
    rf"|(?:please|(?:could|can|would) you|if you(?: (?:can|could|would))?) (?:please )?describe (?:to me )?"
    rf"{_WHICH}{_SENT}(?=\s*(?:[.!?,;]|$|(?:to me|for me|in words|so|you|in (?:more )?detail)\b))"
    rf"|\b(?:{_SENT}|attach\w*|nothing)\b[^.!?]{{0,40}} (?:with|in|to|from|into) (?:your|this|our) (?:\w+ )?"
    r"(?:message|chat|conversation|prompt)\b"
    rf"|\b{_SENT} (?:is|are)(?:{_NOT}| not) (?:visible|available|accessible) to me\b"
    rf"|\bI (?:can )?(?:see|have|got|find|received) no (?:attached|uploaded|{_SURELY_SENT})\b"
    r"|\bwithout (?:seeing|viewing|being able to see) (?:it|them|either)\b"
    rf"|\bwithout (?:being able to see|seeing|viewing|access to|having) {_WHICH}{_SENT}(?=\s*[,.;!?])"
    rf"|(?:\bI can only|\bI am able to only|{_I_AM} only able to) "
    r"(?:process|read|see|understand|handle|work with|respond to|provide) "
    r"(?:plain )?text\b"
    r"|\btext[- ](?:only|based)(?: \w+)? (?:model|AI|assistant|system|format|interface)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    rf"{_CANNOT}(?:help (?:you )?with|assist|comply|fulfil+|answer (?:that|this|your)|discuss|continue with|engage"
    r"|do (?:that|this)"
    r"|provide (?:that|this|an answer|feedback|assistance|any (?:more |further )?(?:information|feedback|help))"
    rf"|identify (?:people|anyone|the (?:person|people|individual)))\b"
    rf"|{_CANNOT}help(?: you)?[.!]"
    rf"|\bI (?:must|have to|will have to|need to) (?:decline|refuse)\b|{_I_AM} not comfortable\b"
    r"|\b(?:against|violates?|violating) (?:my|our|the|content) (?:guidelines|policy|policies|programming|safety)\b",
    re.IGNORECASE,
)
_ONLY_SORRY = re.compile(r"\W*(?:(?:I\W{0,2}a?m (?:so |very |really )?sorry|sorry|my apologies)\W*)+", re.IGNORECASE)
_KINDS_OF_MODEL = (
    r"(?:AI(?!-| (?:powered|generated|driven|based))"
    r"|artificial intelligence|(?:large |vision )?language model|LLM|chat ?bot|virtual assistant)"
)
_MAKE = (
    r"(?:updat|adjust|fix|implement|modif|revis|creat|redesign|correct"
    r"|generat|rewrit|refactor|styl|made|add|chang|remov|replac)"
)
_ROLE = re.compile(
    rf"\bas an? (?:\w+[- ]){{0,2}}{_KINDS_OF_MODEL}\b"
    rf"|{_I_AM} (?:just |only )?(?:an? )?(?:\w+[- ]){{0,2}}{_KINDS_OF_MODEL}\b"
    rf"|{_I_AM} (?:the |an? |your )?(?:web |page )?(?:agent|assistant|designer|developer|programmer|simulated user)\b"
    r"|\bmy (?:training data|knowledge cut-?off|capabilities|programming)\b"
    r"|\bhow (?:can|may) I (?:help|assist) you\b|\b(?:here|ready|happy|glad) to (?:help|assist)(?: you\b|[.!])"
    r"|\b(?:let me know if|would) you(?:(?:'|\u2019)d| would)? (?:want|like|need|prefer) me to\b"
    r"|\b(?:here(?:'|\u2019)?s|here is|below is|this is) (?:the|an?|your|my) (?:\w+ ){0,2}"
    r"(?:HTML|code|snippet|markup)\b"
    r"|\bhere(?:(?:'|\u2019)s| is) (?:the|an?|your|my) (?:updated|revised|corrected|modified|improved|complete|new) "
    r"(?:page|version|design|website)\b"
    rf"|\bI(?:(?:'|\u2019)(?:ve|ll)| have| will)(?: now| also| already)? {_MAKE}\w* "
    r"(?:the|your|it|this|all|some|these)\b"
    r"|\bI (?:updated|adjusted|fixed|implemented|modified|revised|redesigned|corrected|rewrote) "
    r"(?:the|your|it|this)\b"
    r"|^\W{0,2}(?:the )?(?:assistant|agent|AI|designer|web designer|developer)\W{0,2}:\s",
    re.IGNORECASE,
)
_MENTIONS_PROMPT = re.compile(
    r"\b(?:hidden information|system prompt|dialogue history|ground truth|my (?:instructions|prompt|role is)"
    r"|(?:the|these|given|provided) instructions (?:say|state|tell|ask|given|provided)|role-?play(?:ing)?"
    r"|simulat(?:e|ed|ing) (?:a |the )?(?:user|person|human)|(?:the|my) task is to|1000 characters)\b",
    re.IGNORECASE,
)
_TAGS = (
    "html|head|body|div|span|p|a|img|h[1-6]|ul|ol|li|nav|header|footer|main|section|article|aside|form|input|button|label"
    "|select|option|textarea|table|tr|td|th|thead|tbody|style|script|link|meta|title|br|hr|svg|figure|strong|em|b|i"
)
_SIZE = r"(?:\d+(?:[./]\d+)?|px|auto|full|screen|xs|sm|md|lg|xl|[2-9]xl|none)"
_CODE = re.compile(
    rf"```|~~~|</?(?:{_TAGS})(?:\s[^<>]*)?/?>|<!doctype|<!--"
    r"|\b(?:class(?:Name)?|style|href|src|id)=[\"']"
    r"|\{[^{}]*[a-z-]+\s*:[^{};]+;[^{}]*\}|(?<!\w)@media\b|\bfunction\s*\w*\(|=>"
    # Style rules as they are written, not as they are spoken of: "padding: 10px" but not "Background: white".
    r"|\b(?:padding|margin|font-size|font-weight|text-align|background-color|border-radius|max-width|line-height"
    r"|justify-content|align-items|grid-template-columns|box-shadow|flex-direction)(?:-\w+)?\s*:\s*[\w#]"
    r"|\bdisplay:\s*(?:flex|grid|block|none)\b"
    # Class names of Tailwind.
    r"|(?<![\w-])(?:(?:hover|focus|sm|md|lg|xl):)?(?:(?:bg|text|border|from|via|to|ring|placeholder|divide)-[a-z]+-\d{2,3}"
    rf"|(?:[pm][xytrbl]?|[wh]|gap|space-[xy]|grid-cols|col-span|max-w|min-h|z|inset)-{_SIZE}"
    r"|text-(?:xs|sm|base|lg|[2-9]?xl)|(?:rounded|shadow)-(?:none|sm|md|lg|[23]?xl|full)"
    r"|font-(?:bold|semibold|medium|extrabold)|flex-(?:row|col|wrap|grow)|(?:items|justify|self|content)-"
    r"(?:center|start|end|between|around|stretch))(?![\w-])",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|`[^`]*`|(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)|(?<!\w)\u2018.*?\u2019(?!\w)"
)


def page_fault_in(text: str, task: Task, prompt: frozenset[tuple[str, ...]]) -> str | None:
    """The first fault (a key of `PAGE_FAULTS`) of a cleaned and fitted reply; None if it may be said.

    Args:
        text: the reply. What it quotes counts for code only: a page's words may be anything.
        task: whose description and reference the reply may quote.
        prompt: `shingles` of the prompt's own text, of length `ECHO_WORDS`.
    """
    if says_nothing(text):
        return "empty"
    if ANSWER_MARKER in text or OUTPUT_MARKER in text:
        return "role confusion"
    said = _QUOTED.sub(" ", text)
    known = f"{task.description}\n{task.reference}".casefold()
    for fault, pattern in (
        ("role confusion", _ROLE),
        ("cannot see", _CANNOT_SEE),
        ("refusal", _REFUSAL),
        ("prompt echo", _MENTIONS_PROMPT),
    ):
        # A page may be about assistants, or about prompts.
        if any(match.group().strip(" .!?:,").casefold() not in known for match in pattern.finditer(said)):
            return fault
    if _ONLY_SORRY.fullmatch(said):
        return "refusal"
    if _CODE.search(text):
        return "code"
    if (shingles(said, ECHO_WORDS) - shingles(task.description, ECHO_WORDS)) & prompt:
        return "prompt echo"
    return None
