"""The programs and the prompt that lie beside random EVAL files."""

_ECHO = "json.dumps((json.load(sys.stdin).get('config') or {}).get('emit', {}))"
PROGRAMS = {
    "echo.py": f"import json, sys\nprint({_ECHO})\n",
    "echo.mjs": (
        "let text = '';\nfor await (const part of process.stdin) text += part;\n"
        "console.log(JSON.stringify((JSON.parse(text).config ?? {}).emit ?? {}));\n"
    ),
    "raw.py": (
        "import json, sys\nconfig = json.load(sys.stdin).get('config') or {}\n"
        "sys.stdout.write(config.get('stdout', ''))\nsys.exit(config.get('exit', 0))\n"
    ),
    "kwcheck.py": (
        "import json, sys\nread = json.load(sys.stdin)\n"
        "out = read.get('output_text', read.get('output'))\n"
        "words = (read.get('config') or {}).get('keywords', [])\n"
        "hits = ['has ' + w for w in words if w in out]\n"
        "misses = ['missing ' + w for w in words if w not in out]\n"
        "listed = [{'text': t, 'passed': True} for t in hits]\n"
        "listed += [{'text': t, 'passed': False} for t in misses]\n"
        "print(json.dumps({'score': len(hits) / len(words), 'hits': hits, 'misses': misses,\n"
        "  'reasoning': f'{len(hits)}/{len(words)}', 'assertions': listed}))\n"
    ),
    "spy.py": (
        "import json, sys\nread = json.load(sys.stdin)\n"
        "print(json.dumps({'score': 1, 'details': {'stdin': read}}))\n"
    ),
    "prompt.py": "import json, sys\nprint('Judge ' + json.load(sys.stdin)['criteria'])\n",
    "least.py": (
        "import json, sys\nfound = json.load(sys.stdin)['results']\nnames = sorted(found)\n"
        "hits = ['members: ' + ','.join(names)]\n"
        "misses = [f'count: {len(names)}']\n"
        "listed = [{'text': hits[0], 'passed': True}, {'text': misses[0], 'passed': False}]\n"
        "print(json.dumps({'score': min(v['score'] for v in found.values()), 'hits': hits,\n"
        "  'misses': misses, 'reasoning': 'minimum', 'assertions': listed}))\n"
    ),
}
PROMPT = {"prompts/p.md": "Look at {{answer}} and {{criteria}}.\n"}
