"""Protects an API with access tokens of Gatehouse. Its input is the address of the API's protected resource metadata.

Requires Python 3.9, PyJWT 2.6 and cryptography. Error responses follow RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3 and
RFC 9728 §5.1.
"""

from __future__ import annotations

import base64
import concurrent.futures
import copy
import functools
import hashlib
import json
import logging
import math
import os
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import jwt

__all__ = ["Called", "Caller", "Gatehouse", "Refused"]

_log = logging.getLogger("gatehouse_verify")
_told = ""

_TIMEOUT = 5
_MOST_BYTES = 262_144
_FRESH = 300
_STALE = 3_600  # maximum age of cached metadata during an outage
_RETRY = 10
_FIRST_RETRY = 1  # before the first success
_UNKNOWN = 30  # minimum time between calls caused by unknown keys
_ACTIVE = 10
_INACTIVE = 1
_MOST_ENTRIES = 10_000
_MOST_AT_ONCE = 200
_MOST_CHARACTERS = 16_384
_CLASSES = [f"urn:gatehouse:acr:{name}" for name in ("password", "mfa", "phishing-resistant")]
_ASYMMETRIC = re.compile(r"(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA")
_WORD = re.compile(r"[!#-\[\]-~]+")
_TOKEN = re.compile(r"(?:bearer|dpop) +([\w.~+/-]+=*)", re.IGNORECASE | re.ASCII)
_ANY_TOKEN = re.compile(r"(?:^|,\s*)(?:bearer|dpop) +\S", re.IGNORECASE)
_PROOF = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
# uri-host [ ":" port ] of RFC 9110 §7.2. It cannot contain a path, a query or another host
_HOST = re.compile(r"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?", re.ASCII)
_LOOPBACK = re.compile(r"localhost|127(?:\.\d+){3}|::1")

_PROOF_SECONDS = 300
_MOST_PROOFS = 100_000
_PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
_OKP = ("OKP", "Ed25519", ("crv", "kty", "x"))
# type and curve of a proof's key, and the members of its thumbprint (RFC 7638 §3.2)
_PROOF_KEYS = {
    "ES256": ("EC", "P-256", ("crv", "kty", "x", "y")),
    "PS256": ("RSA", None, ("e", "kty", "n")),
    "EdDSA": _OKP,
    "Ed25519": _OKP,
}

_jws = jwt.PyJWS()
if "Ed25519" not in _jws.get_algorithms() and "EdDSA" in _jws.get_algorithms():
    # RFC 9864 names the curve; PyJWT knows the older name
    _jws.register_algorithm("Ed25519", jwt.algorithms.OKPAlgorithm())


@dataclass(frozen=True)
class Caller:
    sub: str  # user id; client id for machine tokens
    client_id: str
    scope: str  # scopes, separated by spaces
    kind: str  # "person" or "machine"
    act: dict | None  # actor of a delegated token (RFC 8693 §4.1)
    claims: dict  # all claims of the token


@dataclass(frozen=True)
class Called:
    """The request with the token: method, called URL (None: `Host` is not a host, which returns 400), values of
    `DPoP`."""

    method: str
    url: str | None
    dpop: str | list[str] | None
    state: dict = field(default_factory=dict)  # of the request, which can be checked twice


class Refused(Exception):
    """Error response: `status` (400, 401, 403 or 503) and `headers`, without a body. `reason` is for the API's log."""

    def __init__(self, status: int, headers: dict[str, str], reason: str = ""):
        super().__init__(f"refused with {status}")
        self.status = status
        self.reason = reason
        self.headers = {**headers, "Cache-Control": "no-store"}


class _Invalid(Exception):
    """Error for a rejected token. The text is the reason."""


class _NotKnown(Exception):
    """Error that outdated metadata may have caused."""


class _Unavailable(Exception):
    pass


class Gatehouse:
    """One API. `introspection_secret` is required for opaque tokens, `introspection_id` if `api` does not end in
    `/apis/<id>`. `issuers` accepts only tokens of these issuers. `public_url` is the public base URL of this server:
    origin plus path prefix removed by a proxy. DPoP proofs must match it. `on_refused` receives the reason of each 400,
    401 and 403 response, without a token. Default: the logger, or nothing if `APP_ENV` or `ENVIRONMENT` starts with
    `prod`. Raises ValueError for invalid options."""

    def __init__(
        self,
        api: str,
        *,
        introspection_secret: str | None = None,
        introspection_id: str | None = None,
        issuers: list[str] | None = None,
        clock_tolerance: float = 5,
        public_url: str | None = None,
        on_refused: Callable[[str], object] | None = None,
    ):
        self._api = _secure(api)
        self._hear_refusal = on_refused or (_say_nothing if _is_production() else _say_refused)
        self._public_url = None if public_url is None else _secure(public_url).rstrip("/")
        if not 0 <= clock_tolerance <= 60:
            raise ValueError("clock_tolerance is 0 to 60 seconds")
        if issuers is not None and (isinstance(issuers, str) or not issuers):
            raise ValueError("issuers is a list of addresses")
        found = re.search(r"/apis/([^/]+)$", urllib.parse.urlsplit(api).path)
        name = introspection_id or urllib.parse.unquote(found[1] if found else "")
        if introspection_secret is not None and not (introspection_secret and name):
            raise ValueError("introspection_secret requires a value and the id of the API")
        credential = None
        if introspection_secret is not None:
            pair = f"{urllib.parse.quote_plus(name)}:{urllib.parse.quote_plus(introspection_secret)}"
            credential = "Basic " + base64.b64encode(pair.encode()).decode()
        self._tolerance = clock_tolerance
        pinned = [_secure(one) for one in issuers] if issuers else None
        self._followed = _Followed(lambda: _load(self._api, pinned))
        self._introspection = _Introspection(credential, self._followed)

    def require(
        self,
        *,
        scope: str | list[str] | None = None,
        acr: str | None = None,
        max_age: int | None = None,
        kind: str | None = None,
        dpop: bool = False,
    ) -> "_Requirement":
        """Token requirements of a route: all scopes in `scope`, a sign-in of the class `acr` or a higher class, at most
        `max_age` seconds old, the `kind` "person" or "machine". `dpop` requires a token bound to a key. Raises
        ValueError for invalid values."""
        scopes = scope.split(" ") if isinstance(scope, str) else list(scope or [])
        if not all(_WORD.fullmatch(word) for word in scopes):
            raise ValueError("scope is words separated by single spaces")
        if acr is not None and not _WORD.fullmatch(acr):
            raise ValueError("acr is one class")
        if max_age is not None and (type(max_age) is not int or max_age < 0):
            raise ValueError("max_age is whole seconds")
        if kind not in (None, "person", "machine"):
            raise ValueError("kind is person or machine")
        if kind == "machine" and (acr is not None or max_age is not None):
            raise ValueError("kind machine excludes acr and max_age")
        if type(dpop) is not bool:
            raise ValueError("dpop is True or False")
        return _Requirement(self, scopes, acr, max_age, kind, dpop)

    def _address(self, called: Called) -> tuple | None:
        """Returns the called address. Trusts `Host` only on localhost. None: invalid address."""
        try:
            parts = urllib.parse.urlsplit(called.url)
            local = _LOOPBACK.fullmatch(parts.hostname or "")
        except ValueError:
            return None
        base = self._public_url or (local and f"{parts.scheme}://{parts.netloc}")
        if base:
            return _plain(base + (parts.path or "/"))
        _tell("a token is bound to a key: public_url is not set")
        raise _Unavailable()

    def _caller(self, token: str) -> Caller:
        metadata = self._followed.current()
        if metadata.format == "jwt":
            claims = self._claims_of_jwt(token, metadata)
        else:
            claims = self._introspection.ask(token, metadata)
        sub, client_id, scope, act = (claims.get(n) for n in ("sub", "client_id", "scope", "act"))
        scope = "" if scope is None else scope
        issued = claims.get("iat")
        if not (_is_text(sub) and _is_text(client_id) and isinstance(scope, str)):
            raise _Invalid("sub, client_id or scope of the token is invalid")
        if not (act is None or isinstance(act, dict)):
            raise _Invalid("act of the token is invalid")
        if not _is_number(issued) or issued > time.time() + self._tolerance:
            raise _Invalid(f"iat of the token is {_shown(issued)}, in the future: compare the clocks")
        return Caller(sub, client_id, scope, "machine" if sub == client_id else "person", act, claims)

    def _claims_of_jwt(self, token: str, metadata: "_Metadata") -> dict:
        try:
            return self._check_jwt(token, metadata)
        except _NotKnown as error:
            reason = str(error)
            newer = self._followed.newer(metadata)
        if newer is None or newer.format != "jwt":
            raise _Invalid(reason)
        try:
            return self._check_jwt(token, newer)
        except _NotKnown as error:
            raise _Invalid(str(error))

    def _check_jwt(self, token: str, metadata: "_Metadata") -> dict:
        try:
            header = _jws.get_unverified_header(token)
            if _media_type(header) != "at+jwt" or "crit" in header:
                raise _Invalid(f"typ of the token is {_shown(header.get('typ'))}, not at+jwt: not an access token")
            key = metadata.keys.get(header.get("kid"))
            if key is None:
                raise _NotKnown(f"no key of the issuers has the kid {_shown(header.get('kid'))}")
            if header.get("alg") not in metadata.algorithms:
                raise _NotKnown(f"the token is not signed with {' or '.join(metadata.algorithms)}")
            claims = json.loads(_jws.decode(token, key, algorithms=metadata.algorithms))
        except jwt.InvalidSignatureError:
            raise _Invalid("the signature of the token is wrong")
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, RecursionError):
            raise _Invalid("the token is not a JWT, but this API uses JWTs")
        if not isinstance(claims, dict):
            raise _Invalid("the token is not a JWT, but this API uses JWTs")
        now, exp, before = time.time(), claims.get("exp"), claims.get("nbf", 0)
        if not (_is_number(exp) and exp > now - self._tolerance):
            raise _Invalid(f"the token has expired: exp is {_shown(exp)}")
        if not (_is_number(before) and before <= now + self._tolerance):
            raise _Invalid(f"nbf of the token is {_shown(before)}, in the future: compare the clocks")
        # the issuer is checked only after the signature, so that strangers cannot trigger fetches of metadata
        if claims.get("iss") not in metadata.issuers:
            raise _NotKnown(_wrong_issuer(claims, metadata))
        if not _has(claims.get("aud"), metadata.resource):
            raise _Invalid(_wrong_audience(claims, metadata))
        return claims


class _Requirement:
    """Provides decorators for frameworks, and `check` for other frameworks."""

    def __init__(
        self,
        api: Gatehouse,
        scopes: list[str],
        acr: str | None,
        max_age: int | None,
        kind: str | None,
        dpop: bool,
    ):
        self._gatehouse, self._scopes, self._acr, self._max_age, self._kind = api, scopes, acr, max_age, kind
        self._dpop = dpop

    def check(self, header: str | list[str] | None, called: Called | None = None) -> Caller:
        """`header` is the value of Authorization, all its values, or None. Rejects bound tokens without `called`.
        Raises Refused."""
        given = header if isinstance(header, str) else ", ".join(header or [])
        is_dpop = given[:5].lower() == "dpop "
        try:
            return self._check(given, is_dpop, called)
        except Refused as refused:
            self._gatehouse._hear_refusal(refused.reason)
            raise
        except _Invalid as error:
            self._gatehouse._hear_refusal(str(error))
            raise self._challenge(401, is_dpop, "", "invalid_token", "the token is not valid here") from None
        except _Unavailable:
            raise Refused(503, {"Retry-After": "5"}) from None

    def _check(self, given: str, is_dpop: bool, called: Called | None) -> Caller:
        if called is not None and called.url is None:
            raise Refused(400, {}, "the Host header is not a host")
        if len(given) > _MOST_CHARACTERS:
            raise _Invalid("the Authorization header is too long")
        if not _ANY_TOKEN.search(given):
            raise self._challenge(401, is_dpop, "the request has no Authorization header with an access token")
        # rejects two headers: tokens contain no comma
        token = _TOKEN.fullmatch(given)
        if not token:
            raise _Invalid("the Authorization header is not one token")
        caller = self._gatehouse._caller(token[1])
        # a bound token must be sent with a proof, and an unbound token without one
        if is_dpop and "cnf" not in caller.claims:
            raise _Invalid("the token is a bearer token, but was sent as DPoP")
        if not is_dpop and "cnf" in caller.claims:
            raise _Invalid("the token is bound to a key, but was sent as Bearer: its client must send DPoP and a proof")
        if self._dpop and not is_dpop:
            raise _Invalid("the route accepts only tokens bound to a key")
        if is_dpop:
            address = called and self._gatehouse._address(called)
            fault = "the token is bound to a key, but check was called without `called`"
            if address:
                fault = _proof_fault(called, address, token[1], caller.claims["cnf"])
            if fault:
                raise self._challenge(401, True, fault, "invalid_dpop_proof", "the proof is not valid here")
        if self._kind and caller.kind != self._kind:
            reason = f"the token is for a {caller.kind}, but the route requires a {self._kind}"
            raise self._challenge(403, is_dpop, reason, "insufficient_scope", f"this needs the token of a {self._kind}")
        lacking = sorted(set(self._scopes) - set(caller.scope.split(" ")))
        if lacking:
            words = " ".join(self._scopes)
            reason = f"the token lacks the scope {' '.join(lacking)}: it has {_shown(caller.scope)}"
            narrow = "the token does not have this scope"
            raise self._challenge(403, is_dpop, reason, "insufficient_scope", narrow, scope=words)
        if not self._is_strong(caller):
            has, at = caller.claims.get("acr"), caller.claims.get("auth_time")
            raise self._challenge(
                401,
                is_dpop,
                f"the sign-in is too weak or too old: acr is {_shown(has)}, auth_time is {_shown(at)}",
                "insufficient_user_authentication",
                "a stronger or a newer sign-in is needed",
                acr_values=self._acr,
                max_age=self._max_age,
            )
        return caller

    def fastapi(self):
        """A dependency: `caller: Caller = Depends(orders.fastapi())`."""
        from fastapi import HTTPException, Request

        # without `async`, so FastAPI runs it in a thread and no other call waits for the keys
        def caller(request):
            try:
                return self.check(request.headers.getlist("authorization"), _called_asgi(request))
            except Refused as refused:
                raise HTTPException(refused.status, headers=refused.headers)

        # FastAPI requires the type, but annotations of this file are texts
        caller.__annotations__["request"] = Request
        return caller

    def starlette(self, endpoint):
        """Decorates `async def endpoint(request)`; the caller is `request.state.caller`."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        @functools.wraps(endpoint)
        async def protected(request):
            try:
                given = request.headers.getlist("authorization")
                request.state.caller = await run_in_threadpool(self.check, given, _called_asgi(request))
            except Refused as refused:
                return Response(status_code=refused.status, headers=refused.headers)
            return await endpoint(request)

        return protected

    def flask(self, view):
        """Decorates a view; the caller is `flask.g.caller`."""
        from flask import Response, g, request

        @functools.wraps(view)
        def protected(*args, **kwargs):
            try:
                called = _called_wsgi(request.method, request.environ)
                g.caller = self.check(request.headers.getlist("Authorization"), called)
            except Refused as refused:
                return Response(status=refused.status, headers=refused.headers)
            return view(*args, **kwargs)

        return protected

    def django(self, view):
        """Decorates a view without `async`; the caller is `request.caller`."""
        from django.http import HttpResponse

        @functools.wraps(view)
        def protected(request, *args, **kwargs):
            try:
                called = _called_wsgi(request.method, request.META)
                request.caller = self.check(request.headers.get("Authorization"), called)
            except Refused as refused:
                answer = HttpResponse(status=refused.status)
                for name, value in refused.headers.items():
                    answer[name] = value
                return answer
            return view(request, *args, **kwargs)

        return protected

    def _is_strong(self, caller: Caller) -> bool:
        if self._acr is None and self._max_age is None:
            return True
        has, at = caller.claims.get("acr"), caller.claims.get("auth_time")
        least = _rank(self._acr)
        strong = self._acr is None or self._acr == has or (least >= 0 and _rank(has) >= least)
        fresh = self._max_age is None or (_is_number(at) and time.time() - at <= self._max_age)
        return caller.kind == "person" and strong and fresh

    def _challenge(
        self, status: int, is_dpop: bool, reason: str, error: str | None = None, description: str | None = None, **more
    ) -> Refused:
        scheme, algs = ("DPoP", " ".join(_PROOF_KEYS)) if is_dpop or self._dpop else ("Bearer", None)
        said = {"error": error, "error_description": description, **more, "algs": algs}
        said["resource_metadata"] = self._gatehouse._api
        parameters = ", ".join(f'{name}="{value}"' for name, value in said.items() if value is not None)
        return Refused(status, {"WWW-Authenticate": f"{scheme} {parameters}"}, reason)


def _called_asgi(request) -> Called:
    # the framework joins scheme, Host and path as text
    hosts = request.headers.getlist("host") or [""]
    is_host = len(hosts) == 1 and _HOST.fullmatch(hosts[0])
    url = str(request.url) if is_host else None
    return Called(request.method, url, request.headers.getlist("dpop"), request.scope)


def _called_wsgi(method: str, environ: dict) -> Called:
    # PATH_INFO is decoded, and is Latin-1 (PEP 3333)
    path = urllib.parse.quote((environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1"))
    host = environ.get("HTTP_HOST", "")
    url = f"{environ['wsgi.url_scheme']}://{host}/{path.removeprefix('/')}" if _HOST.fullmatch(host) else None
    return Called(method, url, environ.get("HTTP_DPOP"), environ)


# proofs used in this process, across all routes
_seen: OrderedDict[bytes, float] = OrderedDict()
_seen_lock = threading.Lock()


def _proof_fault(called: Called, address: tuple, token: str, cnf) -> str | None:
    """None: a valid, unused proof of the token's key for this request (RFC 9449 §4.3)."""
    values = [called.dpop] if isinstance(called.dpop, str) else called.dpop or []
    if len(values) != 1 or not _PROOF.fullmatch(values[0]):
        return f"the request has {len(values)} DPoP headers with a proof, but its token is bound to a key"
    other_key = "the DPoP proof is not valid for the key of the token"
    try:
        header = _jws.get_unverified_header(values[0])
        jwk, alg = header["jwk"], header["alg"]
        kind, curve, names = _PROOF_KEYS[alg]
        if _media_type(header) != "dpop+jwt" or "crit" in header or _PRIVATE & set(jwk):
            return other_key
        public = {name: jwk[name] for name in names}
        if not all(map(_is_text, public.values())) or (jwk["kty"], jwk.get("crv")) != (kind, curve):
            return other_key
        # imports the key only if the token is bound to it; further members of `cnf` are another binding
        if cnf != {"jkt": _sha256(json.dumps(public, separators=(",", ":")))}:
            return other_key
        key = jwt.PyJWK(public, algorithm="EdDSA" if alg == "Ed25519" else alg).key
        claims = json.loads(_jws.decode(values[0], key, algorithms=[alg]))
        jti, iat, htu = claims["jti"], claims["iat"], claims["htu"]
        if claims["htm"] != called.method:
            return f"htm of the DPoP proof is {_shown(claims['htm'])}, not {called.method}"
        if _plain(htu) != address:
            return f"htu of the DPoP proof is {_shown(htu)}, but the request was for another address"
        if claims["ath"] != _sha256(token):
            return "ath of the DPoP proof belongs to another token"
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return other_key
    now = time.time()
    if not (_is_text(jti) and _is_number(iat) and abs(now - iat) <= _PROOF_SECONDS):
        return f"the DPoP proof has no jti, or is not current: iat is {_shown(iat)}"
    proof = hashlib.sha256(f"{cnf['jkt']} {jti}".encode("utf-8", "surrogatepass")).digest()
    return None if _is_first(proof, called, now) else "the DPoP proof was used before"


def _is_first(proof: bytes, called: Called, now: float) -> bool:
    # two guards can check the same request
    if called.state.get("gatehouse.proof") == proof:
        return True
    with _seen_lock:
        if _seen.pop(proof, -math.inf) > now:
            _seen[proof] = now + 2 * _PROOF_SECONDS
            return False
        _seen[proof] = now + 2 * _PROOF_SECONDS
        if len(_seen) > _MOST_PROOFS:
            _seen.popitem(last=False)
    called.state["gatehouse.proof"] = proof
    return True


def _plain(address: str) -> tuple:
    """Removes query and fragment, and normalizes (RFC 3986 §6.2.2). Raises ValueError."""
    parts = urllib.parse.urlsplit(address)
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname, port, _without_dots(urllib.parse.unquote(parts.path or "/"))


def _without_dots(path: str) -> str:
    """Removes dot segments from a path (RFC 3986 §5.2.4)."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _sha256(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@dataclass(frozen=True)
class _Metadata:
    resource: str  # audience of the API's tokens
    issuers: list[str]
    format: str  # "jwt" or "opaque"
    algorithms: list[str]
    keys: dict
    introspection: str


class _Followed:
    """Caches the metadata. Refreshes them every five minutes, or when a token contains an unknown value, with one call
    at a time."""

    def __init__(self, load):
        self._load, self._lock, self._gate = load, threading.Lock(), threading.Lock()
        self._known: _Metadata | None = None
        self._at = self._failed = self._unknown = -math.inf
        self._reads = 0

    def current(self) -> _Metadata:
        now, reads = time.monotonic(), self._reads
        if self._known and now - self._at < _FRESH:
            return self._known
        failed = now - self._failed
        waits = failed < (_RETRY if self._known else _FIRST_RETRY)
        stale = self._known if self._known and now - self._at < _STALE else None
        if stale and failed < _STALE:
            # the last attempt failed, so no call waits for the next attempt
            if not waits and not self._lock.locked():
                threading.Thread(target=self._quietly, args=(reads,), daemon=True).start()
            return stale
        if not waits or self._lock.locked():
            try:
                return self._read(reads)
            except _Unavailable:
                pass  # cached metadata may still be usable
        if stale:
            return stale
        raise _Unavailable()

    def newer(self, than: _Metadata) -> _Metadata | None:
        """Returns newer metadata if a token contains values that `than` lacks. None: there is none."""
        with self._gate:
            if self._known is not than:
                # another call has updated the metadata meanwhile
                return self._known
            now, reads = time.monotonic(), self._reads
            reading = self._lock.locked()
            asks = reading or now - self._unknown >= _UNKNOWN
            if asks and not reading:
                self._unknown = now
        if asks:
            return self._read(reads)
        if self._failed >= self._unknown:
            raise _Unavailable()
        return None

    def _quietly(self, reads: int) -> None:
        try:
            self._read(reads)
        except _Unavailable:
            pass

    def _read(self, reads: int) -> _Metadata:
        """`reads`: number of reads at the decision of the caller. Uses the result of a later read."""
        with self._lock:
            if self._reads == reads:
                # the age starts at the request, because the content may be older than its response
                at = time.monotonic()
                try:
                    self._known = self._load()
                    self._at, self._failed = at, -math.inf
                except Exception as error:
                    self._failed = time.monotonic()
                    _tell(str(error))
                self._reads += 1
            if self._known is None or self._failed != -math.inf:
                raise _Unavailable()
            return self._known


def _load(api: str, pinned: list[str] | None) -> _Metadata:
    said = _fetch_json(api)
    resource, kind, alg = (said.get(n) for n in ("resource", "access_token_format", "access_token_signing_alg"))
    issuers = pinned or said.get("authorization_servers")
    if not (_is_text(resource) and isinstance(issuers, list) and issuers and all(map(_is_text, issuers))):
        raise ValueError(f"{api}: it must contain resource and issuers")
    if kind not in ("jwt", "opaque"):
        raise ValueError(f"{api}: its access_token_format is not known")
    listed = alg if isinstance(alg, list) else [alg]
    algorithms = [one for one in listed if isinstance(one, str) and _ASYMMETRIC.fullmatch(one)]
    if kind == "jwt" and not algorithms:
        raise ValueError(f"{api}: its access_token_signing_alg is not known")
    issuer = _first_answer(issuers)
    if kind == "opaque":
        return _Metadata(resource, issuers, kind, algorithms, {}, _secure(issuer.get("introspection_endpoint")))
    keys = _load_keys(_secure(issuer.get("jwks_uri")), algorithms)
    return _Metadata(resource, issuers, kind, algorithms, keys, "")


def _first_answer(issuers: list[str]) -> dict:
    """Issuers of an API share one key set, so the second issuer is a fallback."""
    for last, issuer in ((False, issuers[0]), (True, issuers[min(1, len(issuers) - 1)])):
        parts = urllib.parse.urlsplit(_secure(issuer))
        path = "" if parts.path == "/" else parts.path
        address = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{path}"
        try:
            said = _fetch_json(address)
            if said.get("issuer") != issuer:
                raise _Unavailable(f"{address}: it contains another issuer")
            return said
        except _Unavailable:
            if last:
                raise
    raise _Unavailable()


def _load_keys(address: str, algorithms: list[str]) -> dict:
    found = {}
    listed = _fetch_json(address).get("keys")
    if not isinstance(listed, list):
        raise ValueError(f"{address}: it is not a key set")
    for jwk in listed:
        alg, kid = jwk.get("alg"), jwk.get("kid")
        if not _is_text(kid) or alg not in algorithms or jwk.get("kty") == "oct":
            continue
        public = {n: jwk[n] for n in ("kty", "crv", "n", "e", "x", "y") if _is_text(jwk.get(n))}
        found[kid] = jwt.PyJWK(public, algorithm="EdDSA" if alg == "Ed25519" else alg).key
    return found


class _Introspection:
    """Introspects opaque tokens (RFC 7662). Caches results for seconds, keyed by token hash."""

    def __init__(self, credential: str | None, followed: _Followed):
        self._credential, self._followed, self._lock = credential, followed, threading.Lock()
        self._kept: OrderedDict[bytes, tuple[float, dict | None]] = OrderedDict()
        self._flights: dict[bytes, concurrent.futures.Future] = {}

    def ask(self, token: str, metadata: _Metadata) -> dict:
        if self._credential is None:
            _tell("the tokens of this API are opaque: its introspection secret is not set")
            raise _Unavailable()
        claims = self._shared(token, metadata.introspection)
        if claims is None:
            raise _Invalid("the introspection endpoint says that the token is not active")
        issuer = claims.get("iss")
        if issuer not in metadata.issuers:
            newer = self._followed.newer(metadata)
            if newer is None or issuer not in newer.issuers:
                raise _Invalid(_wrong_issuer(claims, metadata))
        if not _has(claims.get("aud"), metadata.resource):
            raise _Invalid(_wrong_audience(claims, metadata))
        # views may modify their copy
        return copy.deepcopy(claims)

    def _shared(self, token: str, address: str) -> dict | None:
        key = hashlib.sha256(f"{address} {token}".encode()).digest()
        with self._lock:
            until, claims = self._kept.get(key, (-math.inf, None))
            if until > time.monotonic():
                return claims
            flight = self._flights.get(key)
            mine = flight is None
            if mine:
                if len(self._flights) >= _MOST_AT_ONCE:
                    raise _Unavailable()
                flight = self._flights[key] = concurrent.futures.Future()
        if not mine:
            return flight.result()
        try:
            until, claims = self._answer(token, address)
            with self._lock:
                self._kept.pop(key, None)
                self._kept[key] = (until, claims)
                if len(self._kept) > _MOST_ENTRIES:
                    self._kept.popitem(last=False)
            flight.set_result(claims)
            return claims
        except BaseException as error:
            flight.set_exception(error if isinstance(error, _Unavailable) else _Unavailable())
            raise
        finally:
            with self._lock:
                del self._flights[key]

    def _answer(self, token: str, address: str) -> tuple[float, dict | None]:
        at = time.monotonic()
        form = urllib.parse.urlencode({"token": token, "token_type_hint": "access_token"}).encode()
        try:
            said = _fetch_json(address, form, {"Authorization": self._credential})
        except _Unavailable as error:
            _tell(str(error))
            raise
        exp = said.get("exp")
        left = exp - time.time() if _is_number(exp) else 0
        # an active token can also be a refresh token
        kind = "dpop" if "cnf" in said else "bearer"
        if said.get("active") is True and left > 0 and str(said.get("token_type")).lower() == kind:
            return at + min(_ACTIVE, left), {n: value for n, value in said.items() if n != "active"}
        return at + _INACTIVE, None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


_opener = urllib.request.build_opener(_NoRedirect())


def _fetch_json(address: str, form: bytes | None = None, headers: dict | None = None) -> dict:
    """One call, with a limit for time and size, and without redirects. Errors never contain response text."""
    request = urllib.request.Request(address, form, {"Accept": "application/json", **(headers or {})})
    ends = time.monotonic() + _TIMEOUT
    try:
        with _opener.open(request, timeout=_TIMEOUT) as answer:
            if answer.status != 200:
                raise _Unavailable(f"{address}: it answers {answer.status}")
            text = b""
            while part := answer.read1(65_536):
                text += part
                if len(text) > _MOST_BYTES:
                    raise _Unavailable(f"{address}: it is larger than {_MOST_BYTES} bytes")
                if time.monotonic() > ends:
                    raise _Unavailable(f"{address}: it takes too long")
        said = json.loads(text)
    except urllib.error.HTTPError as error:
        error.close()
        raise _Unavailable(f"{address}: it answers {error.code}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise _Unavailable(f"{address}: {type(error).__name__}") from None
    if not isinstance(said, dict):
        raise _Unavailable(f"{address}: it is not a JSON object")
    return said


def _tell(message: str) -> None:
    """Drops a message that equals the previous message."""
    global _told
    if message != _told:
        _log.warning("%s", message)
    _told = message


def _is_production() -> bool:
    return any(os.environ.get(name, "").lower().startswith("prod") for name in ("APP_ENV", "ENVIRONMENT"))


def _say_refused(reason: str) -> None:
    _log.warning("refused: %s", reason)


def _say_nothing(_reason: str) -> None:
    pass


def _shown(value) -> str:
    """Formats a token or request value for a reason: limited length, no control characters."""
    return json.dumps(value, default=str)[:200]


def _wrong_issuer(claims: dict, metadata: _Metadata) -> str:
    return f"iss of the token is {_shown(claims.get('iss'))}, but the API accepts {' '.join(metadata.issuers)}"


def _wrong_audience(claims: dict, metadata: _Metadata) -> str:
    return f"aud of the token is {_shown(claims.get('aud'))}, but the url of the API is {metadata.resource}"


def _media_type(header: dict) -> str:
    """Returns `typ` in lowercase, without `application/` (RFC 7515 §4.1.9)."""
    return str(header.get("typ")).lower().removeprefix("application/")


def _secure(address) -> str:
    """Returns the address if intermediaries cannot modify responses: https, or http on localhost."""
    parts = urllib.parse.urlsplit(address if isinstance(address, str) else "")
    loopback = _LOOPBACK.fullmatch(parts.hostname or "")
    if parts.hostname and (parts.scheme == "https" or (parts.scheme == "http" and loopback)):
        return address
    raise ValueError(f"{str(address)[:200]} must be https, or http on this machine")


def _rank(acr) -> int:
    """Returns the rank of a class; -1: unknown. `phr` and `phrh` are aliases of the highest class."""
    if acr in ("phr", "phrh"):
        return 2
    return _CLASSES.index(acr) if acr in _CLASSES else -1


def _is_text(value) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _has(audience, resource: str) -> bool:
    return resource in audience if isinstance(audience, list) else audience == resource
