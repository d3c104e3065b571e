"""A browser that no byte leaves, as a service: HTML in, a screenshot and its boxes out.

`service.py` is the place to start reading: one thread that keeps pages in flight, watches time and memory, and finds
the guilty page when a limit breaks. `chromium.py` is one browser: its flags, its processes, one render.
`guardian.py` starts it and ends it with its owner. Before the browser: `prepare.py` (the HTML), `purge.py` (Tailwind
2.2.19), `play_cdn.py` (Tailwind 3 and 4). After it: `snapshot.py` (boxes).
"""
