"""A web server on loopback that answers by script, and a stand-in for the world in which a public number leads to it."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from portal.outgoing import Outside

PUBLIC = "93.184.215.14"
Answer = Callable[[str, dict[str, str], bytes], bytes]
"""From path, headers (lower case) and body to the raw reply; each connection carries one."""


def reply(status: int = 200, body: bytes = b"", *more: str) -> bytes:
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *more]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + body


@dataclass(slots=True)
class Server:
    """What it was asked, in order; `serve` answers one connection."""

    port: int
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def outside(self, names: dict[str, Sequence[str]] | None = None, *, ca: Path | None = None) -> Outside:
        """`names` are what the name server says; every public number is this server. Without `names` all are PUBLIC."""
        found = names if names is not None else {}

        def look_up(host: str, port: int) -> Sequence[str]:
            if names is not None and host not in found:
                raise socket.gaierror("unknown")
            return found.get(host, (PUBLIC,))

        def connect(at: tuple[str, int], *, timeout: float) -> socket.socket:
            return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

        return Outside(look_up, connect, lambda: ssl.create_default_context(cafile=ca))


@contextmanager
def serving(answer: Answer, *, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = Server(listening.getsockname()[1])

    def loop() -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(line,), daemon=True).start()

    def one(line: socket.socket) -> None:
        try:
            with tls.wrap_socket(line, server_side=True) if tls else line as open_line:
                _serve(server, open_line, answer)
        except OSError:
            pass

    threading.Thread(target=loop, daemon=True).start()
    try:
        yield server
    finally:
        listening.close()


def _serve(server: Server, line: socket.socket, answer: Answer) -> None:
    with line.makefile("rb") as reader:
        path = reader.readline().split()[1].decode()
        headers = {}
        while (row := reader.readline().strip()) != b"":
            name, _, value = row.decode("latin-1").partition(": ")
            headers[name.lower()] = value
        body = reader.read(int(headers.get("content-length", 0)))
        server.asked.append((path, headers, body))
        line.sendall(answer(path, headers, body))


def certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, Path]:
    """A server's context with a certificate for the host, and the file of who signed it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    try:
        named: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        named = x509.DNSName(host)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([named]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / f"{host}.pem", folder / f"{host}.key"
    public.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return context, public
