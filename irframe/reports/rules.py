"""What a browser may do with the page: its Content-Security-Policy."""

import base64
import hashlib


def rules(*scripts: str) -> str:
    """Return what a browser may do with the page: run these scripts, and load nothing.

    Examples
    --------
    >>> rules("").split("; ")[:2]
    ["default-src 'none'", "script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"]
    """
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()) for each in scripts]
    own = " ".join(f"'sha256-{digest.decode()}'" for digest in digests)
    parts = {"default-src": "'none'", "script-src": own, "style-src": "'unsafe-inline'"}
    parts |= {"img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}
    return "; ".join(f"{name} {value}" for name, value in parts.items())
