"""Runs users' Python code for evaldiff in three kinds of process.

The zygote locks itself with the kernel and reads no input. It forks one relay per suite and side, one after
the other, so that no process ever has the answers of two. The relay forks one child per code (or, by OPTIONS,
per evaluation), which adds seccomp and evaluates. The relay keeps time and never parses what user code wrote.

    host -> relay    job <json {code, outputs}>          run <id> <json map of variables>          end
    zygote -> host   ready | refused <reason>     over (the relay has ended; the next one reads)
    relay -> host    <id> TAB <outcome> TAB <printed, json> TAB <reply>
    relay <-> child  <id> SP <json>

Outcomes: reply, timeout, exit, memory, channel. An id is random and reaches the child only
with its own evaluation, so an answer to any other is a forgery and ends the child. Python 3.8, no packages.
"""
import sys

sys.path[:] = [entry for entry in sys.path if entry]  # nothing is ever imported from the working directory

import json
import os
import select
import signal
import time

# lock, filters (seccomp programs with and without file access, in hex), alone, timeout (s), time (s since
# 1970), memory, reply, printed (bytes), remark (characters)
OPTIONS = json.loads(sys.argv[1])
MEMORY_EXIT = 97  # a child that has too little memory left to send a reply
FILE_NAME = "<code>"

# ---------------------------------------------------------------- the kernel's locks

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38

# Without Landlock, user code cannot open files, so common imports are preloaded.
PRELOADED = (
    "_strptime abc array ast base64 binascii bisect calendar cmath codecs collections.abc colorsys "
    "configparser contextlib copy csv dataclasses datetime decimal difflib enum fnmatch fractions "
    "functools graphlib hashlib heapq hmac html.entities html.parser importlib.util inspect io ipaddress "
    "itertools json keyword linecache locale logging math numbers operator pprint random re secrets shlex "
    "statistics string stringprep struct textwrap token tokenize tomllib traceback types typing "
    "unicodedata urllib.parse uuid weakref xml.dom.minidom xml.etree.ElementTree zlib"
).split()


class Refusal(Exception):
    """This system cannot confine the code. The host turns the text into a message."""


def checked(result):
    import ctypes
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def system_call(libc, number, *arguments):
    import ctypes
    return checked(libc.syscall(ctypes.c_long(number), *arguments))


def c_library():
    import ctypes
    return ctypes.CDLL(None, use_errno=True)


def control(libc, option, value):
    import ctypes
    zero = ctypes.c_ulong(0)
    checked(libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero))


def die_with(libc, parent):
    """Ends this process when its parent ends, even if that has already happened."""
    control(libc, PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def limit_resources():
    import resource
    for kind, amount in (("RLIMIT_AS", OPTIONS["memory"]), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)):
        resource.setrlimit(getattr(resource, kind), (amount, amount))


def restrict_files(libc):
    """Landlock: only the libraries may be read, nothing written, no TCP. False: not available."""
    import ctypes
    import struct
    abi = libc.syscall(ctypes.c_long(LANDLOCK_CREATE), None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if abi < 1:
        return False
    files = (1 << 13) - 1
    for version, right in ((2, 13), (3, 14), (5, 15)):  # refer, truncate, device control
        if abi >= version:
            files |= 1 << right
    # TCP bind and connect; abstract sockets, signals
    fields = [files] + ([3] if abi >= 4 else []) + ([3] if abi >= 6 else [])
    attributes = struct.pack("=%dQ" % len(fields), *fields)
    size, no_flags = ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    try:
        ruleset = system_call(libc, LANDLOCK_CREATE, attributes, size, no_flags)
    except OSError:
        return False
    for path in readable_paths():
        try:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = 4 | 8 if os.path.isdir(path) else 4  # read file, read directory
        rule = struct.pack("=Qi", rights, handle)
        system_call(libc, LANDLOCK_ADD, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint32(0))
        os.close(handle)
    system_call(libc, LANDLOCK_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)
    return is_denied(lambda: os.listdir("/"))


def readable_paths():
    own = [os.path.dirname(os.__file__)] + [os.path.join(sys.base_prefix, name) for name in ("lib", "lib64")]
    shared = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"]
    return own + shared + ["/usr/share/zoneinfo", "/dev/null", "/dev/urandom"]


def preload():
    import importlib
    for name in PRELOADED:
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # newer than this Python
    for encoding in ("ascii", "latin-1", "utf-16", "utf-32", "cp1252", "idna", "punycode", "unicode-escape"):
        "x".encode(encoding)


def filter_calls(libc, program):
    import ctypes
    import struct
    instructions = ctypes.create_string_buffer(program)
    packed = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(instructions))
    header = ctypes.create_string_buffer(packed)
    zero = ctypes.c_ulong(0)
    address = ctypes.c_ulong(ctypes.addressof(header))
    checked(libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), address, zero, zero))


def is_denied(attempt):
    try:
        attempt()
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


def filter_works(libc, program):
    child = os.fork()
    if child == 0:
        works = False
        try:
            filter_calls(libc, program)
            works = is_denied(os.pipe)
        finally:
            os._exit(0 if works else 1)
    return os.waitpid(child, 0)[1] == 0


def freeze_clocks():
    """Freezes every clock, because the time of scoring would reveal which side is scored."""
    import datetime
    import time as clock
    now = OPTIONS["time"]
    others = ("monotonic", "perf_counter", "process_time", "thread_time")
    for name, value in [("time", now)] + [(other, 0.0) for other in others]:
        setattr(clock, name, lambda value=value: float(value))
        setattr(clock, name + "_ns", lambda value=value: int(value * 10 ** 9))
    clock.clock_gettime = lambda _clock: float(now)
    clock.clock_gettime_ns = lambda _clock: int(now * 10 ** 9)
    for name in ("gmtime", "localtime", "ctime"):
        setattr(clock, name, lambda seconds=None, real=getattr(clock, name): real(now if seconds is None else seconds))
    today, strftime, asctime = clock.localtime(now), clock.strftime, clock.asctime
    clock.asctime = lambda fields=today: asctime(fields)
    clock.strftime = lambda form, fields=today: strftime(form, fields)

    os.times = lambda: os.times_result((0.0, 0.0, 0.0, 0.0, 0.0))

    # Keep isinstance working between the real classes and these.
    def standing(real):
        class Standing(type):
            def __instancecheck__(cls, value):
                return isinstance(value, real)

            def __subclasscheck__(cls, other):
                return issubclass(other, real)
        return Standing

    real_date, real_datetime = datetime.date, datetime.datetime

    class Today:
        def __repr__(self):
            return "datetime." + super().__repr__()

        @classmethod
        def today(cls):
            return cls.fromtimestamp(now)

    class date(Today, real_date, metaclass=standing(real_date)):
        pass

    class frozen(Today, real_datetime, metaclass=standing(real_datetime)):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(now, tz)

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(now, datetime.timezone.utc).replace(tzinfo=None)

    for name, standing_class in (("date", date), ("datetime", frozen)):
        standing_class.__name__ = standing_class.__qualname__ = name
        standing_class.__module__ = "datetime"
        setattr(datetime, name, standing_class)


class Lock:
    def __init__(self, libc, program):
        self.libc, self.program = libc, program

    def follow(self, parent):
        if self.libc is not None:
            die_with(self.libc, parent)

    def close(self):
        if self.program is not None:
            filter_calls(self.libc, self.program)


def lock_zygote():
    if not sys.platform.startswith("linux"):
        raise Refusal(sys.platform)
    if OPTIONS["filters"] is None or sys.maxsize < 2 ** 32:
        raise Refusal("linux " + os.uname().machine)
    libc = c_library()
    control(libc, PR_SET_PDEATHSIG, signal.SIGKILL)
    limit_resources()
    control(libc, PR_SET_NO_NEW_PRIVS, 1)
    control(libc, PR_SET_DUMPABLE, 0)
    import ctypes, datetime, struct  # noqa: the children need them, and may have no files to load them from
    with_files = restrict_files(libc)
    if not with_files:
        preload()
    program = bytes.fromhex(OPTIONS["filters"]["files" if with_files else "no_files"])
    if not filter_works(libc, program):
        raise Refusal("this Linux system")
    return Lock(libc, program)


def open_zygote():
    """`code: host`: no lock, but on Linux nothing survives the host process."""
    if not hasattr(os, "fork"):
        raise Refusal(sys.platform)
    if not sys.platform.startswith("linux"):
        return Lock(None, None)
    libc = c_library()
    control(libc, PR_SET_PDEATHSIG, signal.SIGKILL)
    return Lock(libc, None)


# ---------------------------------------------------------------- in the child: one code, many evaluations

class Unfit(Exception):
    """A value that must not be returned. The text continues the output's name with the reason."""


def plain(value, room, depth=0):
    """`value` as plain data of at most about `room[0]` bytes; tuples become lists."""
    room[0] -= 1 + (len(value) if type(value) is str else 0)
    if room[0] < 0:
        raise Unfit("is larger than %d KiB" % (OPTIONS["reply"] >> 10))
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        if -(2 ** 53) <= value <= 2 ** 53:
            return value
        raise Unfit("is a whole number beyond 2^53; use text")
    if type(value) is float:
        if value - value == 0:
            return value
        raise Unfit("is not a finite number")
    if depth >= 8:
        raise Unfit("is nested deeper than 8 levels")
    if type(value) in (list, tuple):
        return [plain(item, room, depth + 1) for item in value]
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                raise Unfit("must be plain data: a map's keys are text, not " + type_name(key))
        return {plain(key, room, depth + 1): plain(item, room, depth + 1) for key, item in value.items()}
    raise Unfit("must be plain data, not " + type_name(value))


def type_name(value):
    return str(type(value).__name__)[:80]


def sent_messages(value):
    """Roles and texts of messages, which are maps or LangChain objects. None for other values."""
    messages = []
    for message in value if type(value) is list else [None]:
        fields = message if type(message) is dict else {
            key: getattr(message, key, None) for key in ("role", "type", "content")}
        role, content = fields.get("role") or fields.get("type"), fields.get("content")
        if type(content) is not str:
            return None
        messages.append({"role": role if type(role) is str else "user", "content": content})
    return messages


def read_outputs(namespace, outputs):
    values, room = {}, [OPTIONS["reply"]]
    for name in outputs:
        if name == "messages?":
            messages = sent_messages(namespace.get("messages"))
            if messages is not None and len(json.dumps([values, messages])) < OPTIONS["reply"]:
                values["messages"] = messages
            continue
        if name.endswith("?"):
            name = name[:-1]
            if type(namespace.get(name)) is not str:
                continue  # an optional output that is not text is ignored
            namespace[name] = namespace[name][:OPTIONS["remark"]]
        if name not in namespace:
            return {"unset": name}
        value = namespace[name]
        if name == "output" and type(getattr(value, "content", None)) is str:
            value = value.content  # a message of a LangChain model
        if name == "result" and type(value) is int and value in (0, 1):
            value = bool(value)
        if name == "result" and type(value) is not bool:
            return {"unfit": "result must be True or False, not " + type_name(value)}
        try:
            values[name] = plain(value, room)
        except Unfit as error:
            return {"unfit": "%s %s" % (name, error)}
    return {"values": values}


def is_permission(error):
    """Whether the kernel's refusal is this error or what led to it (urllib and others wrap it)."""
    for _ in range(5):
        if isinstance(error, PermissionError) and error.errno is not None:
            return True
        error = error.__context__ if error is not None else None
    return False


def describe(error, line, message):
    if isinstance(error, MemoryError):
        return {"memory": True}
    module = error.name if isinstance(error, ModuleNotFoundError) else None
    known = getattr(sys, "stdlib_module_names", ())
    return {"raised": {
        "type": type_name(error), "line": line, "message": str(message)[:500], "denied": is_permission(error),
        "module": module if isinstance(module, str) else None,
        "shipped": isinstance(module, str) and module.split(".")[0] in known,
    }}


def failed_line(error):
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def safe_text(error):
    try:
        return str(error)
    except BaseException:
        return "an error without a message"


def missing_import(code):
    """The error of the first import at the top of the code that will fail, or None."""
    import ast
    import importlib.util
    for statement in ast.parse(code).body:
        names = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
        if isinstance(statement, ast.ImportFrom) and statement.level == 0:
            names = [statement.module]
        for name in [name.split(".")[0] for name in names]:
            if name not in sys.modules and importlib.util.find_spec(name) is None:
                text = "No module named %r" % name
                return describe(ModuleNotFoundError(text, name=name), statement.lineno, text)
    return None


def fill(source, variables):
    """Replaces `{name}` in plain strings by the variable's text, except where `format` is called."""
    import ast
    import re
    placeholder = re.compile("{(%s)}" % "|".join(map(re.escape, variables)))

    def text_of(found):
        value = variables[found.group(1)]
        return value if type(value) is str else json.dumps(value, ensure_ascii=False)

    class Filling(ast.NodeTransformer):
        def visit_JoinedStr(self, node):
            return node

        visit_TemplateStr = visit_JoinedStr

        def visit_Call(self, node):
            formats = isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "format_map")
            if formats and isinstance(node.func.value, ast.Constant):
                node.args = [self.visit(each) for each in node.args]
                node.keywords = [self.visit(each) for each in node.keywords]
                return node
            return self.generic_visit(node)

        def visit_Constant(self, node):
            if type(node.value) is str:
                node.value = placeholder.sub(text_of, node.value)
            return node

    return Filling().visit(ast.parse(source))


class Evaluator:
    def __init__(self, job):
        self.outputs, self.code, self.problem = job["outputs"], None, None
        self.source = job["code"] if "output" in self.outputs else None
        try:
            self.code = compile(job["code"], FILE_NAME, "exec", dont_inherit=True)
            if not self.outputs:
                self.problem = missing_import(job["code"]) or {"values": {}}
        except BaseException as error:
            syntax = isinstance(error, SyntaxError)
            line, message = (error.lineno, error.msg) if syntax else (None, safe_text(error))
            self.problem = describe(error, line, message)

    def evaluate(self, variables):
        if self.problem is not None:
            return self.problem
        values = json.loads(variables)
        namespace = dict(values, __builtins__=__builtins__, __name__="__code__")
        try:
            code = self.code
            if self.source is not None and values:
                code = compile(fill(self.source, values), FILE_NAME, "exec", dont_inherit=True)
            exec(code, namespace)
            return read_outputs(namespace, self.outputs)
        except BaseException as error:
            return describe(error, failed_line(error), safe_text(error))


def flush(*streams):
    for stream in streams:
        try:
            stream.flush()
        except Exception:
            pass  # user code may have closed it


def serve_child(job, requests, replies):
    stdout, stderr = sys.stdout, sys.stderr
    lines, evaluator = Lines(requests), Evaluator(json.loads(job))
    while True:
        line = lines.next()
        if line is None:
            return
        identity, variables = line.split(b" ", 1)
        reply = evaluator.evaluate(variables)
        sys.stdout, sys.stderr = stdout, stderr
        flush(stdout, stderr)
        text = json.dumps(reply, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        if len(text) > OPTIONS["reply"] + 1024:
            unfit = "the values are larger than %d KiB" % (OPTIONS["reply"] >> 10)
            text = json.dumps({"unfit": unfit}).encode()
        write_all(replies, identity + b" " + text + b"\n")


# ---------------------------------------------------------------- in the relay: pass on and watch

class Lines:
    """Lines of a descriptor without their end; None at the end of the stream."""

    def __init__(self, descriptor):
        self.descriptor, self.chunks, self.ready = descriptor, [], []

    def next(self):
        while not self.ready:
            chunk = os.read(self.descriptor, 1 << 16)
            if not chunk:
                return None
            parts = chunk.split(b"\n")
            if len(parts) > 1:
                self.ready = [b"".join(self.chunks) + parts[0]] + parts[1:-1]
                self.ready.reverse()
                self.chunks = []
            self.chunks.append(parts[-1])
        return self.ready.pop()


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]


class ServeChild(BaseException):
    """Unwinds a new child to main(): user code could read the values in the relay's frames."""


class Child:
    def __init__(self, job, lock, inherited):
        request_read, self.requests = os.pipe()
        self.replies, reply_write = os.pipe()
        self.printed, printed_write = os.pipe()
        relay = os.getpid()
        self.process = os.fork()
        if self.process == 0:
            try:
                for descriptor in inherited + [self.requests, self.replies, self.printed]:
                    os.close(descriptor)
                os.dup2(printed_write, 1)
                os.dup2(printed_write, 2)
                os.close(printed_write)
                if not OPTIONS["lock"]:
                    os.setsid()  # so that programs it starts end with it
                lock.follow(relay)
            except BaseException:
                os._exit(1)
            raise ServeChild(job, request_read, reply_write, lock)
        for descriptor in (request_read, reply_write, printed_write):
            os.close(descriptor)
        for descriptor in (self.requests, self.replies, self.printed):
            os.set_blocking(descriptor, False)

    def stop(self):
        """Ends the process; returns its exit code (-1 for a signal)."""
        ended, status = os.waitpid(self.process, os.WNOHANG)
        if ended == 0:
            self.kill()
            _, status = os.waitpid(self.process, 0)
        elif not OPTIONS["lock"]:
            self.kill()
        for descriptor in (self.requests, self.replies, self.printed):
            os.close(descriptor)
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1

    def kill(self):
        # A process has no group of its own at first.
        for end in [os.kill] if OPTIONS["lock"] else [os.killpg, os.kill]:
            try:
                return end(self.process, signal.SIGKILL)
            except OSError:
                pass


class Printed:
    """Output of one evaluation; what exceeds the limit is read and dropped, so that the child never waits."""

    def __init__(self, descriptor):
        self.descriptor, self.text, self.cut, self.open = descriptor, b"", False, True

    def read(self):
        try:
            chunk = os.read(self.descriptor, 1 << 16)
        except BlockingIOError:
            return False
        self.open = bool(chunk)
        room = OPTIONS["printed"] - len(self.text)
        self.cut = self.cut or len(chunk) > room
        self.text += chunk[:room]
        return self.open

    def json(self):
        for _ in range(4):  # what is in the pipe already; a pipe holds 64 KiB
            if not self.open or not self.read():
                break
        return json.dumps({"text": self.text.decode("utf-8", "replace"), "cut": self.cut}).encode()


def send(child, request):
    """Writes what fits and returns the rest. A child that closed its end is noticed later."""
    try:
        return request[os.write(child.requests, request[:1 << 16]):]
    except BlockingIOError:
        return request
    except BrokenPipeError:
        return request[:0]


def converse(child, identity, variables, printed):
    """(outcome, reply) of one evaluation; whatever the child does, this returns within the time limit."""
    request = memoryview(identity + b" " + variables + b"\n")
    heard, deadline = b"", time.monotonic() + OPTIONS["timeout"]
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "timeout", b""
        listening = [child.replies] + ([child.printed] if printed.open else [])
        readable, writable, _ = select.select(listening, [child.requests] if request else [], [], left)
        if child.printed in readable:
            printed.read()
        if writable:
            request = send(child, request)
        if child.replies in readable:
            chunk = os.read(child.replies, 1 << 16)
            if not chunk:
                return "exit", b""
            heard += chunk
            line, end, rest = heard.partition(b"\n")
            if rest or len(line) > OPTIONS["reply"] + 4096 or (end and not line.startswith(identity + b" ")):
                return "channel", b""
            if end:
                return "reply", line[len(identity) + 1:]


def serve_relay(requests, replies, lock):
    """Serves one suite and side until `end` (True) or the end of the stream (False)."""
    lines, job, child = Lines(requests), b"", None
    while True:
        line = lines.next()
        if line is None or line == b"end":
            break
        if line.startswith(b"job "):
            if child is not None and line[4:] != job:
                child.stop()
                child = None
            job = line[4:]
            continue
        _, identity, variables = line.split(b" ", 2)
        if child is None:
            child = Child(job, lock, [requests, replies])
        printed = Printed(child.printed)
        outcome, reply = converse(child, identity, variables, printed)
        said = printed.json()
        if outcome != "reply" or OPTIONS["alone"]:
            code = child.stop()
            child = None
            if outcome == "exit" and code == MEMORY_EXIT:
                outcome = "memory"
        write_all(replies, b"\t".join((identity, outcome.encode(), said, reply)) + b"\n")
    if child is not None:
        child.stop()
    return line is not None


def serve_zygote(requests, replies, lock):
    """One relay after the other. Reads nothing, so that no relay inherits another's input."""
    zygote = os.getpid()
    while True:
        relay = os.fork()
        if relay == 0:
            goes_on = False
            try:
                lock.follow(zygote)
                goes_on = serve_relay(requests, replies, lock)
            except ServeChild:
                raise
            except BaseException:
                os._exit(1)
            os._exit(0 if goes_on else 1)
        if os.waitpid(relay, 0)[1] != 0:
            return
        write_all(replies, b"over\n")


def main():
    # Private copies of the protocol's pipes, because user code may use 0, 1 and 2.
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    if sys.version_info < (3, 8):
        write_all(replies, b"refused python\n")
        return
    try:
        lock = lock_zygote() if OPTIONS["lock"] else open_zygote()
    except Refusal as refusal:
        write_all(replies, b"refused " + str(refusal).encode() + b"\n")
        return
    except (OSError, ImportError) as error:  # a lock that exists and fails, or a Python without ctypes
        write_all(replies, ("refused this Linux system (%s)\n" % error).encode())
        return
    write_all(replies, b"ready\n")
    try:
        serve_zygote(requests, replies, lock)
    except ServeChild as child:
        return child.args


def run_child(job, requests, replies, lock):
    code = 1
    try:
        if OPTIONS["lock"]:
            freeze_clocks()
        lock.close()
        serve_child(job, requests, replies)
        code = 0
    except MemoryError:
        code = MEMORY_EXIT
    finally:
        os._exit(code)


if __name__ == "__main__":
    child = main()
    if child is not None:
        run_child(*child)
