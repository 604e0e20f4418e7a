"""Kernels forked from one process with all imports.

Importing pandas, xarray and their friends takes longer than most pages take to run. As an extension
of Sphinx this starts the process to be forked, and puts a kernel named python3 before others that
Jupyter knows; as a program it is that process (``serve``), or the stand-in for one kernel, which
Jupyter starts and stops (``run``).
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path


def setup(app):
    """Start and stop the process to be forked."""
    if hasattr(os, "fork"):
        folder = Path(tempfile.mkdtemp(prefix="kernels"))
        serving = []
        app.connect("builder-inited", lambda _: serving.append(serve_in(folder)))
        app.connect("build-finished", lambda *_: [stop(each, folder) for each in serving])
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def stop(process, folder):
    """End a process, and remove its folder."""
    process.terminate()
    process.wait()
    shutil.rmtree(folder)


def serve_in(folder):
    """Start the process, and register its kernels with Jupyter."""
    path = str(folder / "socket")
    spec = folder / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    command = [sys.executable, "-S", "-E", __file__, "run", path, "-f", "{connection_file}"]
    text = {"argv": command, "display_name": "Python 3", "language": "python"}
    spec.write_text(json.dumps(text), encoding="utf-8")
    os.environ["JUPYTER_PATH"] = os.pathsep.join(
        [str(folder), *filter(None, [os.environ.get("JUPYTER_PATH")])]
    )
    return subprocess.Popen([sys.executable, __file__, "serve", path])  # noqa: S603 - ours


def serve(path):
    """Import what pages import, and fork kernels on request."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    import ipykernel.kernelapp  # noqa: F401, PLC0415
    import matplotlib.pyplot  # noqa: F401, ICN001, PLC0415 - it reads the name of its backend
    import scipy.stats  # noqa: F401, PLC0415
    import statsmodels.stats.multitest  # noqa: F401, PLC0415

    import irframe.verbs  # noqa: F401, PLC0415

    signal.signal(signal.SIGCHLD, reap)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path + ".new")
        listening.listen()
        Path(path + ".new").rename(path)
        while True:
            asking, _ = listening.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                become_kernel(asking)
            asking.close()


def reap(*_):
    """Take note of the kernels that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def become_kernel(asking):
    """Run a kernel in the requested folder and environment."""
    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415

    request = json.loads(asking.recv(1 << 20))
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    warnings.formatwarning = said
    app = IPKernelApp.instance(parent_handle=os.getppid())
    app.initialize(request["arguments"])
    app.start()
    os._exit(0)


def said(message, category, *_):
    """Return a warning without the name of its file."""
    return f"{category.__name__}: {message}\n"


def run(path, *arguments):
    """Request a kernel, and wait until it ends."""
    request = {"folder": str(Path.cwd()), "environment": dict(os.environ), "arguments": arguments}
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the kernel that is interrupted
    while not Path(path).exists():
        time.sleep(0.05)
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        asking.sendall(json.dumps(request).encode())
        asking.recv(1)


if __name__ == "__main__":
    {"serve": serve, "run": run}[sys.argv[1]](*sys.argv[2:])
