"""Runs a user's Python file for promptfoo, as described in promptfoo-adapter.js.

Arguments: the kind (provider, prompt, tests), `file:function`, and JSON.
"""

import asyncio
import importlib.util
import inspect
import json
import os
import subprocess
import sys

kind, named, settings = sys.argv[1:4]
file, _, called = named.partition(".py:")
file = file + ".py" if called else file
settings = json.loads(settings)
config = settings.get("config") or {}
answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
# Output of child processes goes to stderr too.
os.dup2(2, 1)

NAMES = {"provider": "call_api", "prompt": "", "tests": "generate_tests"}


def load(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("promptfoo_file", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["promptfoo_file"] = module
    spec.loader.exec_module(module)
    return module


def run(function, *values):
    value = function(*values)
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def variables_of(request):
    variables = dict(request.get("variables") or {})
    for name in settings.get("json") or []:
        try:
            variables[name] = json.loads(variables[name])
        except (KeyError, TypeError, ValueError):
            pass
    return variables


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value)


def provider(function, request):
    messages = request["messages"]
    single = len(messages) == 1 and messages[0]["role"] == "user"
    prompt = messages[0]["content"] if single else json.dumps(messages, ensure_ascii=False)
    context = {"vars": variables_of(request), "prompt": {"raw": prompt, "label": prompt}}
    answer = run(function, prompt, {"id": settings.get("id"), "config": config}, context)
    if isinstance(answer, str):
        return {"output": answer}
    if not isinstance(answer, dict) or answer.get("error") or "output" not in answer:
        error = answer.get("error") if isinstance(answer, dict) else None
        return {"error": as_text(error or file + " gave no output")}
    said = {"output": as_text(answer["output"])}
    usage = answer.get("tokenUsage") or {}
    counts = [usage.get("prompt"), usage.get("completion")]
    if all(type(count) is int and count >= 0 for count in counts):
        said["usage"] = {"input_tokens": counts[0], "output_tokens": counts[1]}
    return said


def prompt(function, request):
    model = settings.get("id") or ""
    context = {
        "vars": variables_of(request),
        "provider": {"id": model, "label": model},
        "config": config,
    }
    if function is not None:
        return {"output": json.dumps(run(function, context))}
    # A file without a function is a program whose output is the prompt.
    done = subprocess.run(
        [sys.executable, file, json.dumps(context)], stdout=subprocess.PIPE, text=True, check=True
    )
    return {"output": json.dumps(done.stdout.strip())}


def tests(function, request):
    values = [config] if inspect.signature(function).parameters else []
    return {"output": json.dumps(run(function, *values))}


function = None
for line in sys.stdin:
    asked = json.loads(line)
    try:
        name = called or NAMES[kind]
        if function is None and name != "":
            function = getattr(load(file), name)
        said = {"provider": provider, "prompt": prompt, "tests": tests}[kind](function, asked)
    except Exception as error:
        said = {"error": type(error).__name__ + ": " + str(error)}
    answers.write(json.dumps({"id": asked["id"], **said}) + "\n")
    answers.flush()
