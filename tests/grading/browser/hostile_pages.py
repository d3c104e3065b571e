"""Pages that mean harm, by name: what tests/grading/browser/ and benchmarks/hostile_pages.py render.

Each is below the size limit, so that it reaches the browser, but for `fifty_megabytes`.
"""

from __future__ import annotations

import base64
import struct
import zlib

SECRET = "/etc/passwd"


def page(body: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body>{body}</body></html>"


def png_bomb(side: int) -> str:
    """A black PNG, small as a file and `side` x `side` pixels as an image."""
    packer = zlib.compressobj(9)
    row = b"\0" * (side * 3 + 1)
    packed = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(png).decode()


def leaking(origin: str, udp_port: int) -> dict[str, str]:
    """Pages that try to reach `origin`, an HTTP server, or a UDP port of this machine."""
    scripts = f"""
const O="{origin}";
fetch(O+'/fetch').catch(()=>0);
try{{const x=new XMLHttpRequest();x.open('GET',O+'/xhr');x.send()}}catch(e){{}}
try{{new WebSocket(O.replace('http','ws')+'/ws')}}catch(e){{}}
try{{new EventSource(O+'/es')}}catch(e){{}}
try{{navigator.sendBeacon(O+'/beacon')}}catch(e){{}}
try{{new Worker(URL.createObjectURL(new Blob(["fetch('"+O+"/worker')"])))}}catch(e){{}}
try{{const p=new RTCPeerConnection({{iceServers:[{{urls:'stun:127.0.0.1:{udp_port}'}}]}});p.createDataChannel('a');
p.createOffer().then(o=>p.setLocalDescription(o))}}catch(e){{}}
try{{window.open(O+'/open')}}catch(e){{}}
try{{navigator.serviceWorker.register('/sw.js').catch(()=>0)}}catch(e){{}}
try{{new WebTransport(O.replace('http','https')+'/wt')}}catch(e){{}}
try{{const l=document.createElement('link');l.rel='prefetch';l.href=O+'/late';document.head.append(l)}}catch(e){{}}
try{{new Image().src=O+'/image';import(O+'/module').catch(()=>0)}}catch(e){{}}
try{{document.body.innerHTML+='<iframe src="'+O+'/frame"></iframe>'}}catch(e){{}}
setTimeout(()=>{{location=O+'/location'}},0);
"""
    elements = f"""
<link rel=preconnect href="{origin}"><link rel=prefetch href="{origin}/prefetch"><link rel=preload as=image
href="{origin}/preload"><link rel=modulepreload href="{origin}/modulepreload"><link rel=dns-prefetch href="//x.test">
<link rel=stylesheet href="{origin}/css"><link rel=icon href="{origin}/icon"><link rel=manifest href="{origin}/m">
<LINK REL='StyleSheet' HREF={origin}/css2><style>@import url({origin}/import);@import "{origin}/import2";
@font-face{{font-family:z;src:url({origin}/font)}}b{{font-family:z;background:url({origin}/bg);
cursor:url({origin}/cursor),auto;list-style-image:url({origin}/list);border-image:url({origin}/border);
mask-image:url({origin}/mask);filter:url({origin}/filter#a);clip-path:url({origin}/clip#a);content:url({origin}/content);
background:image-set("{origin}/set" 1x);shape-outside:url({origin}/shape)}}</style></head><body background="{origin}/b">
<b>x</b><img src="{origin}/img" srcset="{origin}/srcset 2x" loading=lazy><img lowsrc="{origin}/low"><picture><source
srcset="{origin}/picture"><img></picture><iframe src="{origin}/iframe"></iframe>
<iframe srcdoc="<img src='{origin}/doc'>"></iframe><object data="{origin}/object"></object><embed src="{origin}/embed">
<video src="{origin}/video" autoplay
poster="{origin}/poster"></video><audio src="{origin}/audio" autoplay></audio><input type=image src="{origin}/input">
<svg><image href="{origin}/svgimg"/><use href="{origin}/use#a"/><feImage href="{origin}/feimage"/></svg>
<script src="{origin}/script"></script><script type=module src="{origin}/module"></script>
<script type=speculationrules>{{"prefetch":[{{"source":"list","urls":["{origin}/spec"]}}]}}</script>
<form action="{origin}/form"><button autofocus>x</button></form><a href="{origin}/a" ping="{origin}/ping">a</a>
<track src="{origin}/track"><portal src="{origin}/portal"></portal><applet code="{origin}/applet"></applet>
<table background="{origin}/table"><tr><td background="{origin}/td">x</table>
<math href="{origin}/math"><mi>x</mi></math>
"""
    return {
        "leak_elements": f"<html><head>{elements}</body></html>",
        "leak_scripts": page(f"a<script>{scripts}</script>"),
        "leak_refresh": page("a", f'<meta http-equiv="refresh" content="0;url={origin}/refresh">'),
        "leak_refresh_disguised": page("a", f"<META\nhttp-equiv = REFRESH content=0;url={origin}/refresh2 x='>'>"),
        "leak_refresh_hidden": page(f"<svg><style><meta http-equiv=refresh content='0;url={origin}/refresh3'></style>"),
        "leak_base": page('<img src="img"><link rel=stylesheet href=c.css>', f'<base href="{origin}/base/">'),
        "leak_compiler": page(
            '<p class="p-4">a',
            f'<script src="https://cdn.tailwindcss.com"></script><script>tailwind.config={{}};{scripts}</script>',
        ),
        "leak_compiler_4": page(
            '<p class="p-4">a',
            '<script src="https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4"></script>'
            f'<style type="text/tailwindcss">@import "{origin}/tw4"; p{{background:url({origin}/tw4bg)}}</style>',
        ),
    }


def reading() -> dict[str, str]:
    """Pages that try to show a file of this machine."""
    address = f"file://{SECRET}"
    entity = (
        f'<!DOCTYPE svg [<!ENTITY x SYSTEM "{address}">]>'
        '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">&x;</text></svg>'
    )
    return {
        "file_frame": page(f'<iframe src="{address}" width=800 height=600></iframe>'),
        "file_object": page(f'<object data="{address}" width=800 height=600></object><embed src="{address}">'),
        "file_refresh": page("a", f'<meta http-equiv="refresh" content="0;url={address}">'),
        "file_link": page(f'a<link rel=stylesheet href="{address}"><style>@import url("{address}")</style>'),
        "file_script_location": page(f"a<script>location='{address}'</script>"),
        "file_compiler_location": page(
            "a",
            f"<script src=https://cdn.tailwindcss.com></script><script>tailwind.config={{}};location='{address}'</script>",
        ),
        "xml_entity": entity,
        "svg_image_entity": page(f'<img src="data:image/svg+xml;base64,{base64.b64encode(entity.encode()).decode()}">'),
        "chrome_address": page('a<iframe src="chrome://crash"></iframe><iframe src="chrome://gpucrash"></iframe>'),
    }


def _script(code: str) -> str:
    return page(f"a<script>{code}</script>")


def _compiler(code: str) -> str:
    return page('<p class="p-4">a', f"<script src=https://cdn.tailwindcss.com></script><script>{code}</script>")


def _billion_laughs() -> str:
    lines = "".join(f"--a{i}:" + f"var(--a{i - 1})" * 10 + ";" for i in range(1, 12))
    return page("<p>a", f"<style>:root{{--a0:aaaaaaaaaa;{lines}}}p::before{{content:var(--a11)}}</style>")


def _nested_calc() -> str:
    return page("<p>a", "<style>p{width:" + "calc(1px + " * 20000 + "1px" + ")" * 20000 + "}</style>")


def _calc_variables() -> str:
    lines = "".join(f"--a{i}:calc(var(--a{i - 1}) + var(--a{i - 1}));" for i in range(1, 40))
    return page("<p>a", f"<style>:root{{--a0:1px;{lines}}}p{{width:var(--a39)}}</style>")


def _use_bomb() -> str:
    groups = "".join(f'<g id="a{i}">' + f'<use href="#a{i - 1}"/>' * 10 + "</g>" for i in range(1, 8))
    return page(f'<svg width=800 height=800><defs><g id="a0"><circle r=5 /></g>{groups}</defs><use href="#a7"/></svg>')


def _pattern_bomb() -> str:
    patterns = "".join(
        f'<pattern id="p{i}" width=".01" height=".01"><rect width="900" height="900" fill="url(#p{i - 1})"/></pattern>'
        for i in range(1, 12)
    )
    return page(
        f'<svg width=1200 height=700><pattern id="p0" width="1" height="1"></pattern>{patterns}'
        '<rect width="1200" height="700" fill="url(#p11)"/></svg>'
    )


def _blur(count: int) -> str:
    style = (
        "width:1200px;height:700px;filter:blur(300px);backdrop-filter:blur(200px);"
        "background:repeating-conic-gradient(red 0 1%,blue 0 2%)"
    )
    return page(f'<div style="{style}">x</div>' * count)


def greedy() -> dict[str, str]:
    """Pages that try to use up time or memory."""
    turbulence = (
        "<svg width=1280 height=16000><filter id=f x=0 y=0 width=1 height=1>"
        + "<feTurbulence baseFrequency=.9 numOctaves=60 /><feMorphology operator=dilate radius=200 />"
        "<feGaussianBlur stdDeviation=300 />" * 20 + "</filter><rect width=1280 height=16000 filter=url(#f) /></svg>"
    )
    return {
        "script_loop": _script("while(true){}"),
        "script_late_loop": _script("setTimeout(()=>{while(true){}},50)"),
        "script_memory": _script("let a=[];while(1)a.push(new Array(1e6).fill(Math.random()))"),
        "script_dialogs": _script("while(1)alert(1)"),
        "script_windows": _script('for(let i=0;i<200;i++)window.open("about:blank")'),
        "script_location": _script('setInterval(()=>{location="about:blank#"+Math.random()},0)'),
        "compiler_loop": _compiler("tailwind.config={};while(true){}"),
        "compiler_late_loop": _compiler("tailwind.config={};setTimeout(()=>{while(true){}},0)"),
        "compiler_memory": _compiler("tailwind.config={};let a=[];while(1)a.push(new Array(1e6).fill(Math.random()))"),
        "compiler_buffers": _compiler(
            "tailwind.config={};let a=[];while(1){let b=new Uint8Array(1e8);b.fill(1);a.push(b)}"
        ),
        "compiler_dialogs": _compiler(
            "tailwind.config={};for(let i=0;i<9999;i++){alert(1);confirm(1);prompt(1)}print()"
        ),
        "compiler_broken": _compiler("tailwind.config = {;"),
        "compiler_throws": _compiler("tailwind.config = {plugins:[()=>{throw 1}]}"),
        "compiler_getter": _compiler("tailwind.config = {get theme(){while(1){}}}"),
        "compiler_safelist": _compiler(
            "tailwind.config = {safelist:[{pattern:/./,variants:['hover','sm','md','lg']}]}"
        ),
        "compiler_prototype": _compiler(
            "tailwind.config={};Object.defineProperty(Object.prototype,'then',{get(){while(1){}}})"
        ),
        "compiler_closes_style": _compiler("tailwind.config={theme:{extend:{content:{x:'\"</style><img src=x>\"'}}}}"),
        "compiler_classes": page(
            '<p class="' + " ".join(f"w-[{i}px]" for i in range(60_000)) + '">a',
            "<script src=https://cdn.tailwindcss.com></script>",
        ),
        "tall": page('<div style="height:1000000px;background:linear-gradient(red,blue)">x</div>'),
        "tallest": page('<div style="height:1e30px;background:red">x</div>'),
        "wide": page('<div style="width:1000000px;height:100px;background:red">x</div>'),
        "fifty_megabytes": page('<div class="p-1">hello world</div>' * 1_400_000),
        "many_elements": page('<i class="p-1">a</i>' * 45_000),
        "many_styled": page("<p style='display:grid;box-shadow:0 0 9px red'>a" * 18_000),
        "deep": page("<div>" * 190_000 + "x"),
        "deep_inline": page("<b><i>" * 100_000 + "x"),
        "deep_tables": page('<table><tr><td><div style="display:flex;width:fit-content">' * 400 + "x"),
        "deep_flex": page('<div style="display:flex;flex-wrap:wrap;width:min-content">' * 500 + "x"),
        "deep_grid": page('<div style="display:grid;grid:auto/auto-flow min-content">' * 500 + "x"),
        "deep_selectors": page(
            "<b>" * 500 + "x", "<style>" + ":has(b) " * 30 + "b{color:red}" + "b " * 3000 + "{color:red}</style>"
        ),
        "has_selectors": page(
            "<b>a</b>" * 8000,
            "<style>"
            + "".join(f"b:has(~ b:has(~ b:nth-last-child({i}n of b:not(:has(i))))){{color:red}}" for i in range(1, 300))
            + "</style>",
        ),
        "use_bomb": _use_bomb(),
        "pattern_bomb": _pattern_bomb(),
        "blur": _blur(60),
        "backdrop": page(
            '<div style="position:fixed;inset:0;backdrop-filter:blur(99px) hue-rotate(9deg)">x</div>' * 400
        ),
        "shadows": page('<p style="box-shadow:' + ",".join(["0 0 9999px 9999px red"] * 20_000) + '">x'),
        "shadows_many": page('<p style="border-radius:50%;box-shadow:0 0 500px 500px rgba(1,2,3,.1)">x' * 8000),
        "text_shadows": page(
            '<p style="font-size:300px;text-shadow:' + ",".join(["0 0 200px red"] * 5000) + '">' + "x" * 999
        ),
        "gradients": page(
            '<div style="height:9000px;background:' + ",".join(["linear-gradient(red,blue)"] * 35_000) + '">x'
        ),
        "gradient_stops": page(
            '<div style="height:9000px;background:conic-gradient(' + ",".join(["red,blue"] * 50_000) + ')">x'
        ),
        "blend": page(
            '<div style="position:absolute;inset:0;height:16000px;mix-blend-mode:difference;opacity:.9">x</div>' * 2000
        ),
        "layers": page(
            '<div style="position:absolute;width:9000px;height:16000px;will-change:transform;background:red">x</div>'
            * 3000
        ),
        "transforms": page(
            '<div style="transform:rotate3d(1,1,1,5deg) scale(1.1);transform-style:preserve-3d;height:99vh">x' * 800
        ),
        "grid_repeat": page(
            '<div style="display:grid;grid-template-columns:repeat(10000,1fr);grid-template-rows:repeat(10000,1px)">'
            + "<i>a</i>" * 9999
            + "</div>"
        ),
        "grid_far": page(
            '<div style="display:grid"><i style="grid-area:9999999/9999999/99999999/99999999">a</i></div>' * 500
        ),
        "grid_subgrid": page('<div style="display:grid;grid:subgrid/subgrid">' * 300 + "<i>a</i>" * 300),
        "columns": page('<div style="columns:1000;height:10px">' + "<p>hello world " * 20_000 + "</div>"),
        "columns_nested": page('<div style="columns:9;height:9px">' * 30 + "<p>hello " * 2000),
        "colspan": page("<table>" + "<tr><td colspan=1000 rowspan=65534>a" * 15_000),
        "list_start": page("<ol start=2147483647>" + "<li>a" * 50_000),
        "counters": page(
            "<p>a" * 30_000,
            "<style>p{counter-increment:a 999999}p::before{content:counters(a,'.',"
            "lower-roman) counter(a,lower-greek) counter(a,cjk-ideographic)}</style>",
        ),
        "billion_variables": _billion_laughs(),
        "nested_calc": _nested_calc(),
        "calc_variables": _calc_variables(),
        "nested_rules": page("<p>a", "<style>" + "&,p{" * 3000 + "color:red" + "}" * 3000 + "</style>"),
        "nested_selectors": page("<p>a", "<style>" + ":is(p,b){&," * 24 + "p{color:red}" + "}" * 24 + "</style>"),
        "container_queries": page(
            '<div style="container-type:inline-size">' * 500 + "x",
            "<style>@container (min-width:1px){div{padding:1px;width:calc(100% - 1px)}}</style>",
        ),
        "svg_text": page(
            '<svg width=1280 height=16000><text font-size="1e7" stroke-width=900 stroke=red>'
            + "W" * 100_000
            + "</text></svg>"
        ),
        "svg_text_path": page(
            '<svg><path id=p d="M0 0'
            + "L9 9L0 0" * 50_000
            + '"/><text><textPath href="#p">'
            + "W" * 200_000
            + "</textPath></text></svg>"
        ),
        "svg_dashes": page(
            '<svg width=1280 height=9000><path stroke=red stroke-dasharray=".0001" d="M0 0L1e7 1e7"/></svg>'
        ),
        "turbulence": page(turbulence),
        "convolve": page(
            '<svg width=1280 height=9000><filter id=f><feConvolveMatrix order="99" kernelMatrix="'
            + "1 " * 9801
            + '"/></filter><rect width=1280 height=9000 filter=url(#f) /></svg>' * 3
        ),
        "markers": page(
            "<svg width=1280 height=900><marker id=m overflow=visible><circle r=900 /></marker>"
            '<path marker-mid=url(#m) d="M0 0' + "L1 1L2 2" * 90_000 + '"/></svg>'
        ),
        "masks": page(
            "<svg width=1280 height=9000>"
            + "".join(
                f"<mask id=m{i}><rect width=1280 height=9000 fill=white mask=url(#m{i - 1}) /></mask>"
                for i in range(1, 200)
            )
            + "<rect width=1280 height=9000 mask=url(#m199) /></svg>"
        ),
        "mathml": page("<math>" + "<msqrt><mfrac><mi>a</mi>" * 10_000 + "</math>"),
        "mathml_table": page("<math><mtable>" + "<mtr><mtd><mi>a</mi></mtd></mtr>" * 15_000 + "</mtable></math>"),
        "png_bomb": page(f'<img src="{png_bomb(15_000)}">'),
        "png_bombs": page(f'<img src="{png_bomb(4000)}">' * 12, "<style>img{width:100px}</style>"),
        "png_tiled": page('<div style="height:16000px;background:url(' + png_bomb(2000) + ') 0 0/1px 1px">x'),
        "svg_image_huge": page(
            '<img src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%2230000%22 '
            'height=%2230000%22%3E%3Crect width=%2230000%22 height=%2230000%22/%3E%3C/svg%3E">' * 50
        ),
        "font_garbage": page(
            "<p style='font-family:f'>a",
            "<style>@font-face{font-family:f;src:url(data:font/woff2;base64,"
            + base64.b64encode(b"wOF2" + bytes(range(256)) * 900).decode()
            + ")}</style>",
        ),
        "long_line": page("x" * 900_000),
        "long_line_breaks": page("<p style='hyphens:auto;text-align:justify;text-wrap:pretty'>" + "ab c" * 220_000),
        "combining": page("<p style='font-size:200px'>" + "Z" + "\u0301\u0327" * 100_000),
        "bidirectional": page("\u202e\u202d\u2067\u05d0a" * 40_000),
        "emoji": page("\U0001f468\u200d" * 60_000),
        "whitespace": page("<pre>" + "\t \n" * 300_000),
        "attributes": "<html><body " + " ".join(f"a{i}=b" for i in range(90_000)) + ">x</body></html>",
        "open_quotes": page('<a b="' * 160_000),
        "open_comments": page("<!--" * 240_000),
        "open_tags": page("<a " * 320_000),
        "entities": page("&NotEqualTilde;" * 60_000),
        "formatting": page("<a><b><i><u>" * 40 + "<p>" * 20_000),
        "tables_foster": page("<table>" * 30_000 + "x" * 1000),
        "selects": page("<select>" + "<option>a" * 90_000),
        "inputs": page("<input type=range><input type=color><input type=date>" * 9000),
        "details": page("<details open><summary>a</summary>" * 10_000),
        "animations": page(
            "<p>a" * 9000,
            "<style>@keyframes k{to{transform:rotate(1turn);width:0}}"
            "p.p,p{animation:k 1ms infinite alternate!important;will-change:transform}</style>",
        ),
        "marquee": page("<marquee scrollamount=99 truespeed scrolldelay=1>a</marquee>" * 3000),
        "smil": page(
            "<svg>"
            + "<rect width=9 height=9><animate attributeName=x to=900 dur=.01s repeatCount=indefinite /></rect>" * 6000
        ),
        "view_transitions": page(
            "<p style='view-transition-name:a'>a" * 9000, "<style>@view-transition{navigation:auto}</style>"
        ),
        "placeholders": page('<img src="//picsum.photos/4000/4000">' * 25_000),
    }


def odd() -> dict[str, str]:
    """Pages that are strange rather than greedy: each must come out as some picture."""
    return {
        "empty": "",
        "blank": " \n ",
        "null_bytes": "<html>\0<body>\0a\0b<p cl\0ass='x\0'>c\0",
        "surrogates": page("a\ud800b\udfffc\ud83d"),
        "private_use": page("\ufffe\uffff\ue000\U0010ffff"),
        "utf16": page("a", "<meta charset=utf-16>"),
        "utf7": page("+ADw-script+AD4-alert(1)+ADw-/script+AD4-", "<meta charset=utf-7>"),
        "plaintext": page("<plaintext><b>a</b>"),
        "unclosed_comment": page("a<!-- b"),
        "unclosed_script": page("a<script>b"),
        "unclosed_style": page("a<style>b{"),
        "unclosed_title": "<html><title>a<body>b",
        "unclosed_textarea": page("a<textarea>b<p>c"),
        "frameset": '<html><frameset cols="50%,50%"><frame src="a.html"><frame src="chrome://version"></frameset></html>',
        "doctype_only": "<!doctype html>",
        "xml": '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>a</body></html>',
        "dialog": page(
            "<dialog open>a</dialog><div popover=manual>b</div><button popovertarget=x autofocus>c</button>"
        ),
        "editable": page("<div contenteditable autofocus spellcheck=true>teh wrold</div>"),
        "content_visibility": page("<p style='content-visibility:auto;contain-intrinsic-size:9e9px'>a" * 500),
        "paint_worklet": page("<p style='background:paint(x);height:9px'>a"),
        "scroll_snap": page(
            "<div style='height:3000px'>a</div><div style='scroll-snap-align:end;height:500px'>b</div>",
            "<style>html{scroll-snap-type:y mandatory}</style>",
        ),
        "autofocus_below": page("<div style='height:5000px'>a</div><input autofocus>"),
        "policy": page(
            "<p style='color:red'>a", "<meta http-equiv=Content-Security-Policy content=\"style-src 'none'\">"
        ),
        "titled_styles": page("<p>a", "<style title=x>p{color:red}</style><style title=y>p{color:blue}</style>"),
        "language": page(
            "<q>a</q>", "<meta http-equiv=content-language content=fr><meta http-equiv=default-style content=x>"
        ),
        "color_scheme": page("a", "<meta name=color-scheme content=dark>"),
        "zoom": page("a", "<style>html{zoom:9;writing-mode:vertical-rl;direction:rtl}</style>"),
        "hidden": page("a", "<style>html{display:none}</style>"),
        "no_root_box": page("a", "<style>html,body{display:contents;position:fixed}</style>"),
        "negative": page("<div style='margin:-9999px;position:absolute'>a</div>"),
        "print_sizes": page("a", "<style>@page{size:9999in}@media all{body{page-break-before:always}}</style>"),
        "animated_image": page(
            '<img src="data:image/gif;base64,R0lGODlhAQABAPAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQABAAA'
            'ACwAAAAAAQABAAACAkQBACH5BAAEAAAALAAAAAABAAEAAAICTAEAOw==" width=300 height=300>'
        ),
        "moving": page(
            "<progress></progress><marquee>a</marquee><input autofocus><svg><rect width=9 height=9><animate "
            "attributeName=x to=900 dur=1s repeatCount=indefinite /></rect></svg><p>b",
            "<style>@keyframes k{to{margin-left:500px}}html body p{animation:k 1s infinite!important}</style>",
        ),
    }


def pages(origin: str = "http://127.0.0.1:9", udp_port: int = 9) -> dict[str, str]:
    return {**leaking(origin, udp_port), **reading(), **greedy(), **odd()}
