// Package gatehouse protects an API with access tokens of Gatehouse. Its input is the address of the API's protected
// resource metadata.
//
// It requires Go 1.19 and only the standard library. Error responses follow RFC 6750 §3, RFC 9470 §3 and
// RFC 9728 §5.1.
package gatehouse

import (
	"bytes"
	"container/list"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	timeout        = 5 * time.Second
	mostBytes      = 262_144
	fresh          = 5 * time.Minute
	stale          = time.Hour // maximum age of cached metadata during an outage
	retry          = 10 * time.Second
	firstRetry     = time.Second      // before the first success
	unknown        = 30 * time.Second // minimum time between calls caused by unknown keys
	keptActive     = 10 * time.Second
	keptInactive   = time.Second
	mostEntries    = 10_000
	mostAtOnce     = 200
	mostCharacters = 16_384
	leastBitsOfRSA = 2_048
)

var (
	asymmetric = regexp.MustCompile(`^(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA)$`)
	oneWord    = regexp.MustCompile(`^[!#-\[\]-~]+$`)
	oneToken   = regexp.MustCompile(`^(?i:bearer) +([\w.~+/-]+=*)$`)
	anyToken   = regexp.MustCompile(`(?i)(?:^|,\s*)(?:bearer|dpop) +\S`)
	loopback   = regexp.MustCompile(`^(?:localhost|127(?:\.\d+){3}|::1)$`)
	idAtTheEnd = regexp.MustCompile(`/apis/([^/]+)$`)
	base64url  = base64.RawURLEncoding.Strict()

	errUnavailable = errors.New("Gatehouse is unavailable")
)

const (
	bound = "the token is bound to a key, but this file does not check proofs"
	noJWT = "the token is not a JWT, but this API uses JWTs"
)

// invalid is the error for a rejected token. The text is the reason.
type invalid string

func (reason invalid) Error() string { return string(reason) }

// notKnown is an error that outdated metadata can cause.
type notKnown string

func (reason notKnown) Error() string { return string(reason) }

// Caller is the caller of a request.
type Caller struct {
	// Sub is the user id; the client id for machine tokens.
	Sub      string `json:"sub"`
	ClientID string `json:"client_id"`
	// Scope contains the scopes, separated by spaces.
	Scope string `json:"scope"`
	// Kind is "person" or "machine".
	Kind string `json:"kind"`
	// Act is the actor of a delegated token (RFC 8693 §4.1), or nil.
	Act map[string]any `json:"act"`
	// Claims contains all claims of the token.
	Claims map[string]any `json:"claims"`
}

// Refused is the error response: Status (401, 403 or 503) and Header, without a body. Reason is for the API's log.
type Refused struct {
	Status int
	Header http.Header
	Reason string
}

func (refused *Refused) Error() string { return fmt.Sprintf("refused with %d", refused.Status) }

// API is one API. It is safe for concurrent use.
type API struct {
	address       string
	pinned        []string
	secret, id    *string
	credential    string
	tolerance     time.Duration
	problem       func(string)
	hearRefusal   func(string)
	told          string
	telling       sync.Mutex
	now           func() time.Time
	followed      *followed
	introspection *introspection
}

// Option is an option of New.
type Option func(*API)

// IntrospectionSecret is the introspection secret of the API. It is required for opaque tokens.
func IntrospectionSecret(secret string) Option { return func(api *API) { api.secret = &secret } }

// IntrospectionID is the API's id at Gatehouse. It is required if the address does not end in /apis/<id>.
func IntrospectionID(id string) Option { return func(api *API) { api.id = &id } }

// Issuers accepts only tokens of these issuers, even if the metadata list others.
func Issuers(issuers ...string) Option {
	return func(api *API) { api.pinned = append([]string{}, issuers...) }
}

// ClockTolerance is the permitted clock skew. Default: 5 seconds. Maximum: 60.
func ClockTolerance(most time.Duration) Option { return func(api *API) { api.tolerance = most } }

// OnProblem receives the reason of each 503 response. Default: log.Print. Reasons contain no token and no secret.
func OnProblem(hear func(message string)) Option { return func(api *API) { api.problem = hear } }

// OnRefused receives the reason of each 401 and 403 response. Default: log.Print, or nothing if APP_ENV or
// ENVIRONMENT starts with "prod". Reasons contain no token.
func OnRefused(hear func(reason string)) Option { return func(api *API) { api.hearRefusal = hear } }

// New returns an API for the address of its protected resource metadata (RFC 9728). It sends no request before the
// first token. It panics on invalid options, like http.Handle.
func New(address string, options ...Option) *API {
	api := &API{tolerance: 5 * time.Second, now: time.Now}
	api.problem = func(message string) { log.Print("gatehouse: ", message) }
	api.hearRefusal = func(reason string) { log.Print("gatehouse: refused: ", reason) }
	if isProduction() {
		api.hearRefusal = func(string) {}
	}
	for _, option := range options {
		option(api)
	}
	parsed, err := secure(address)
	wants(err == nil, fmt.Sprint(err))
	api.address = address
	wants(api.tolerance >= 0 && api.tolerance <= time.Minute, "ClockTolerance is 0 to 60 seconds")
	wants(api.pinned == nil || len(api.pinned) > 0, "Issuers requires addresses")
	for _, issuer := range api.pinned {
		_, err := secure(issuer)
		wants(err == nil, fmt.Sprint(err))
	}
	if api.secret != nil {
		var id string
		if found := idAtTheEnd.FindStringSubmatch(parsed.EscapedPath()); found != nil {
			id, _ = url.PathUnescape(found[1])
		}
		if api.id != nil {
			id = *api.id
		}
		wants(*api.secret != "" && id != "", "IntrospectionSecret requires a value and the id of the API")
		pair := url.QueryEscape(id) + ":" + url.QueryEscape(*api.secret) // RFC 6749 §2.3.1
		api.credential = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	}
	api.followed = &followed{api: api}
	api.introspection = &introspection{
		api: api, kept: map[[32]byte]*list.Element{}, order: list.New(), flights: map[[32]byte]*question{},
	}
	return api
}

// Ask is a requirement of a route.
type Ask func(*needs)

type needs struct {
	scopes []string
	acr    string
	maxAge time.Duration // negative: any age
	kind   string
}

// Scope requires all of these scopes, separated by single spaces.
func Scope(words string) Ask {
	scopes := strings.Split(words, " ")
	for _, word := range scopes {
		wants(oneWord.MatchString(word), "Scope is words separated by single spaces")
	}
	return func(needs *needs) { needs.scopes = append(needs.scopes, scopes...) }
}

// ACR requires a sign-in of this class or a higher class, such as urn:gatehouse:acr:mfa.
func ACR(class string) Ask {
	wants(oneWord.MatchString(class), "ACR is one class")
	return func(needs *needs) { needs.acr = class }
}

// MaxAge limits the age of the sign-in, in whole seconds.
func MaxAge(most time.Duration) Ask {
	wants(most >= 0 && most%time.Second == 0, "MaxAge is whole seconds")
	return func(needs *needs) { needs.maxAge = most }
}

// Kind requires the token of a "person" or of a "machine".
func Kind(kind string) Ask {
	wants(kind == "person" || kind == "machine", "Kind is person or machine")
	return func(needs *needs) { needs.kind = kind }
}

func needsOf(asks []Ask) needs {
	made := needs{maxAge: -1}
	for _, ask := range asks {
		ask(&made)
	}
	signsIn := made.acr != "" || made.maxAge >= 0
	wants(made.kind != "machine" || !signsIn, "kind machine excludes ACR and MaxAge")
	return made
}

type keyOfCaller struct{}

// Require returns a middleware for a handler. It panics at startup on invalid requirements.
func (api *API) Require(asks ...Ask) func(http.Handler) http.Handler {
	needs := needsOf(asks)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, refused := api.check(r.Header.Values("Authorization"), needs)
			if refused != nil {
				for name, values := range refused.Header {
					w.Header()[name] = values
				}
				w.WriteHeader(refused.Status)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), keyOfCaller{}, caller)))
		})
	}
}

// CallerOf returns the caller of a request that passed Require, or nil.
func CallerOf(r *http.Request) *Caller {
	caller, _ := r.Context().Value(keyOfCaller{}).(*Caller)
	return caller
}

// Check is for frameworks with other handlers. It accepts all values of Authorization. The error is a *Refused.
func (api *API) Check(authorization []string, asks ...Ask) (*Caller, error) {
	if caller, refused := api.check(authorization, needsOf(asks)); refused == nil {
		return caller, nil
	} else {
		return nil, refused
	}
}

func (api *API) check(authorization []string, needs needs) (*Caller, *Refused) {
	caller, refused := api.decide(authorization, needs)
	if refused != nil && refused.Status != http.StatusServiceUnavailable {
		api.hearRefusal(refused.Reason)
	}
	return caller, refused
}

func (api *API) decide(authorization []string, needs needs) (*Caller, *Refused) {
	given := strings.Join(authorization, ", ")
	if len(given) > mostCharacters {
		return nil, api.invalid("the Authorization header is too long")
	}
	if !anyToken.MatchString(given) {
		const none = "the request has no Authorization header with an access token"
		return nil, api.challenge(http.StatusUnauthorized, none, "", "")
	}
	// rejects two headers: tokens contain no comma
	token := oneToken.FindStringSubmatch(given)
	if token == nil {
		if strings.HasPrefix(strings.ToLower(given), "dpop ") {
			return nil, api.invalid(bound)
		}
		return nil, api.invalid("the Authorization header is not one token")
	}
	caller, err := api.callerOf(token[1])
	if err == errUnavailable {
		header := http.Header{"Retry-After": {"5"}, "Cache-Control": {"no-store"}}
		return nil, &Refused{Status: http.StatusServiceUnavailable, Header: header}
	}
	if err != nil {
		return nil, api.invalid(err.Error())
	}
	if needs.kind != "" && caller.Kind != needs.kind {
		reason := "the token is for a " + caller.Kind + ", but the route requires a " + needs.kind
		wrong := "this needs the token of a " + needs.kind
		return nil, api.challenge(http.StatusForbidden, reason, "insufficient_scope", wrong)
	}
	has := strings.Split(caller.Scope, " ")
	for _, word := range needs.scopes {
		if !isOneOf(word, has) {
			words := parameter("scope", strings.Join(needs.scopes, " "))
			reason := "the token lacks the scope " + word + ": it has " + shown(caller.Scope)
			const narrow = "the token does not have this scope"
			return nil, api.challenge(http.StatusForbidden, reason, "insufficient_scope", narrow, words)
		}
	}
	if !isStrong(caller, needs) {
		var wanted []string
		if needs.acr != "" {
			wanted = append(wanted, parameter("acr_values", needs.acr))
		}
		if needs.maxAge >= 0 {
			wanted = append(wanted, parameter("max_age", fmt.Sprint(int64(needs.maxAge/time.Second))))
		}
		const error, weak = "insufficient_user_authentication", "a stronger or a newer sign-in is needed"
		has, at := shown(caller.Claims["acr"]), shown(caller.Claims["auth_time"])
		reason := "the sign-in is too weak or too old: acr is " + has + ", auth_time is " + at
		return nil, api.challenge(http.StatusUnauthorized, reason, error, weak, wanted...)
	}
	return caller, nil
}

func (api *API) invalid(reason string) *Refused {
	return api.challenge(http.StatusUnauthorized, reason, "invalid_token", "the token is not valid here")
}

func (api *API) challenge(status int, reason, error, description string, more ...string) *Refused {
	var said []string
	if error != "" {
		said = append(said, parameter("error", error), parameter("error_description", description))
	}
	said = append(append(said, more...), parameter("resource_metadata", api.address))
	header := http.Header{"Cache-Control": {"no-store"}}
	header.Set("WWW-Authenticate", "Bearer "+strings.Join(said, ", "))
	return &Refused{status, header, reason}
}

func parameter(name, value string) string { return name + `="` + value + `"` }

func isStrong(caller *Caller, needs needs) bool {
	if needs.acr == "" && needs.maxAge < 0 {
		return true
	}
	has, _ := caller.Claims["acr"].(string)
	least := rank(needs.acr)
	strong := needs.acr == "" || needs.acr == has || (least >= 0 && rank(has) >= least)
	at, isNumber := caller.Claims["auth_time"].(float64)
	recent := needs.maxAge < 0 || (isNumber && seconds(time.Now())-at <= needs.maxAge.Seconds())
	return caller.Kind == "person" && strong && recent
}

// rank returns -1 for unknown classes. phr and phrh are aliases of the highest class.
func rank(acr string) int {
	switch acr {
	case "urn:gatehouse:acr:password":
		return 0
	case "urn:gatehouse:acr:mfa":
		return 1
	case "urn:gatehouse:acr:phishing-resistant", "phr", "phrh":
		return 2
	}
	return -1
}

func (api *API) callerOf(token string) (*Caller, error) {
	metadata, err := api.followed.current()
	if err != nil {
		return nil, err
	}
	var claims map[string]any
	if metadata.format == "jwt" {
		claims, err = api.claimsOfJWT(token, metadata)
	} else {
		claims, err = api.introspection.ask(token, metadata)
	}
	if err != nil {
		return nil, err
	}
	sub, _ := claims["sub"].(string)
	clientID, _ := claims["client_id"].(string)
	scope, scopeIsText := claims["scope"].(string)
	act, actIsObject := claims["act"].(map[string]any)
	issued, isNumber := claims["iat"].(float64)
	_, isBound := claims["cnf"]
	// bound tokens are worthless without proof
	if isBound {
		return nil, invalid(bound)
	}
	if sub == "" || clientID == "" ||
		(!scopeIsText && claims["scope"] != nil) || (!actIsObject && claims["act"] != nil) {
		return nil, invalid("sub, client_id, scope or act of the token is invalid")
	}
	if !isNumber || issued > seconds(time.Now().Add(api.tolerance)) {
		return nil, invalid("iat of the token is " + shown(claims["iat"]) + ", in the future: compare the clocks")
	}
	kind := "person"
	if sub == clientID {
		kind = "machine"
	}
	return &Caller{Sub: sub, ClientID: clientID, Scope: scope, Kind: kind, Act: act, Claims: claims}, nil
}

func (api *API) claimsOfJWT(token string, metadata *metadata) (map[string]any, error) {
	claims, err := api.checkJWT(token, metadata)
	if _, mayBeNew := err.(notKnown); !mayBeNew {
		return claims, err
	}
	newer, fault := api.followed.newer(metadata)
	if fault != nil {
		return nil, fault
	}
	if newer == nil || newer.format != "jwt" {
		return nil, err
	}
	return api.checkJWT(token, newer)
}

func (api *API) checkJWT(token string, metadata *metadata) (map[string]any, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, invalid(noJWT)
	}
	header, claims := decoded(parts[0]), decoded(parts[1])
	signature, err := base64url.DecodeString(parts[2])
	if header == nil || claims == nil || err != nil {
		return nil, invalid(noJWT)
	}
	typ, _ := header["typ"].(string)
	if _, isCritical := header["crit"]; isCritical ||
		strings.TrimPrefix(strings.ToLower(typ), "application/") != "at+jwt" {
		return nil, invalid("typ of the token is " + shown(typ) + ", not at+jwt: not an access token")
	}
	alg, _ := header["alg"].(string)
	kid, _ := header["kid"].(string)
	key, isKnown := metadata.keys[kid]
	if !isKnown {
		return nil, notKnown("no key of the issuers has the kid " + shown(kid))
	}
	if !isOneOf(alg, metadata.algorithms) {
		return nil, notKnown("the token is not signed with " + strings.Join(metadata.algorithms, " or "))
	}
	if key.alg != alg || !key.signed(parts[0]+"."+parts[1], signature) {
		return nil, invalid("the signature of the token is wrong")
	}
	now, tolerance := seconds(time.Now()), api.tolerance.Seconds()
	if exp, isNumber := claims["exp"].(float64); !isNumber || exp <= now-tolerance {
		return nil, invalid("the token has expired: exp is " + shown(claims["exp"]))
	}
	if before, isSaid := claims["nbf"]; isSaid {
		if from, isNumber := before.(float64); !isNumber || from > now+tolerance {
			return nil, invalid("nbf of the token is " + shown(before) + ", in the future: compare the clocks")
		}
	}
	issuer, _ := claims["iss"].(string)
	if issuer == "" || !hasAudience(claims["aud"], metadata.resource) {
		return nil, invalid(wrongAudience(claims, metadata))
	}
	// the issuer is checked only after the signature, so that strangers cannot trigger fetches of metadata
	if !isOneOf(issuer, metadata.issuers) {
		return nil, notKnown(wrongIssuer(claims, metadata))
	}
	return claims, nil
}

// key is a public key with its only permitted algorithm.
type key struct {
	alg    string
	public any
}

func (key key) signed(text string, signature []byte) bool {
	hash := map[string]crypto.Hash{"256": crypto.SHA256, "384": crypto.SHA384, "512": crypto.SHA512}[key.alg[2:]]
	var digest []byte
	if hash != 0 {
		hasher := hash.New()
		hasher.Write([]byte(text))
		digest = hasher.Sum(nil)
	}
	switch public := key.public.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(public, []byte(text), signature)
	case *rsa.PublicKey:
		if key.alg[:2] == "PS" {
			options := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
			return rsa.VerifyPSS(public, hash, digest, signature, options) == nil
		}
		return rsa.VerifyPKCS1v15(public, hash, digest, signature) == nil
	case *ecdsa.PublicKey:
		half := (public.Curve.Params().BitSize + 7) / 8
		if len(signature) != 2*half {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])
		return ecdsa.Verify(public, digest, r, s)
	}
	return false
}

// keyOf returns the key of a JWK, or false if the key does not fit its algorithm.
func keyOf(jwk map[string]any, alg string) (key, bool) {
	bytesOf := func(name string) []byte {
		text, _ := jwk[name].(string)
		decoded, _ := base64url.DecodeString(text)
		return decoded
	}
	number := func(name string) *big.Int { return new(big.Int).SetBytes(bytesOf(name)) }
	switch kind := fmt.Sprint(jwk["kty"], " ", jwk["crv"], " ", alg[:2]); kind {
	case "EC P-256 ES", "EC P-384 ES", "EC P-521 ES":
		curve := map[string]elliptic.Curve{
			"ES256 P-256": elliptic.P256(), "ES384 P-384": elliptic.P384(), "ES512 P-521": elliptic.P521(),
		}[alg+" "+fmt.Sprint(jwk["crv"])]
		x, y := number("x"), number("y")
		if curve == nil || !curve.IsOnCurve(x, y) {
			return key{}, false
		}
		return key{alg, &ecdsa.PublicKey{Curve: curve, X: x, Y: y}}, true
	case "OKP Ed25519 Ed":
		public := bytesOf("x")
		return key{alg, ed25519.PublicKey(public)}, len(public) == ed25519.PublicKeySize
	case "RSA <nil> RS", "RSA <nil> PS":
		modulus, exponent := number("n"), number("e")
		isUsable := modulus.BitLen() >= leastBitsOfRSA && exponent.BitLen() > 1 && exponent.BitLen() < 32
		return key{alg, &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}}, isUsable
	}
	return key{}, false
}

type metadata struct {
	resource      string // audience of the API's tokens
	issuers       []string
	format        string // "jwt" or "opaque"
	algorithms    []string
	keys          map[string]key // by kid
	introspection string
}

func (api *API) load() (*metadata, error) {
	said, err := fetch(api.address, nil, "")
	if err != nil {
		return nil, err
	}
	resource, _ := said["resource"].(string)
	issuers := api.pinned
	if issuers == nil {
		issuers = textsOf(said["authorization_servers"])
	}
	if resource == "" || len(issuers) == 0 {
		return nil, errors.New(api.address + ": it must contain resource and issuers")
	}
	format, _ := said["access_token_format"].(string)
	if format != "jwt" && format != "opaque" {
		return nil, errors.New(api.address + ": its access_token_format is not known")
	}
	listed, isList := said["access_token_signing_alg"].([]any)
	if !isList {
		listed = []any{said["access_token_signing_alg"]}
	}
	found := &metadata{resource: resource, issuers: issuers, format: format}
	for _, one := range listed {
		if alg, isText := one.(string); isText && asymmetric.MatchString(alg) {
			found.algorithms = append(found.algorithms, alg)
		}
	}
	if format == "jwt" && len(found.algorithms) == 0 {
		return nil, errors.New(api.address + ": its access_token_signing_alg is not known")
	}
	issuer, err := firstAnswer(issuers)
	if err != nil {
		return nil, err
	}
	if format == "jwt" {
		address, _ := issuer["jwks_uri"].(string)
		found.keys, err = loadKeys(address, found.algorithms)
		return found, err
	}
	found.introspection, _ = issuer["introspection_endpoint"].(string)
	_, err = secure(found.introspection)
	return found, err
}

// firstAnswer fetches issuer metadata. Issuers of an API share one key set, so the second issuer is a fallback.
func firstAnswer(issuers []string) (said map[string]any, err error) {
	for asked, issuer := range issuers {
		if asked == 2 {
			break
		}
		var parsed *url.URL
		if parsed, err = secure(issuer); err != nil {
			return nil, err
		}
		path := parsed.EscapedPath()
		if path == "/" {
			path = ""
		}
		address := parsed.Scheme + "://" + parsed.Host + "/.well-known/oauth-authorization-server" + path
		said, err = fetch(address, nil, "")
		if err == nil && said["issuer"] != issuer {
			err = errors.New(address + ": it contains another issuer")
		}
		if err == nil {
			return said, nil
		}
	}
	return nil, err
}

func loadKeys(address string, algorithms []string) (map[string]key, error) {
	if _, err := secure(address); err != nil {
		return nil, err
	}
	said, err := fetch(address, nil, "")
	if err != nil {
		return nil, err
	}
	listed, isList := said["keys"].([]any)
	if !isList {
		return nil, errors.New(address + ": it is not a key set")
	}
	found := map[string]key{}
	for _, one := range listed {
		jwk, _ := one.(map[string]any)
		kid, _ := jwk["kid"].(string)
		alg, _ := jwk["alg"].(string)
		if kid == "" || !isOneOf(alg, algorithms) {
			continue
		}
		if key, isUsable := keyOf(jwk, alg); isUsable {
			found[kid] = key
		}
	}
	return found, nil
}

// followed caches the metadata. It refreshes them every five minutes, or when a token contains an unknown value, with
// one call at a time.
type followed struct {
	api                     *API
	lock                    sync.Mutex
	known                   *metadata
	at, failedAt, unknownAt time.Time // zero: never
	reading                 *reading
}

type reading struct {
	done     chan struct{}
	metadata *metadata
}

func (followed *followed) current() (*metadata, error) {
	followed.lock.Lock()
	defer followed.lock.Unlock()
	if followed.isUsable(fresh) {
		return followed.known, nil
	}
	pause := retry
	if followed.known == nil {
		pause = firstRetry
	}
	failed := followed.api.now().Sub(followed.failedAt)
	waits := failed < pause
	if followed.isUsable(stale) && failed < stale {
		// the last attempt failed, so no call waits for the next attempt
		if !waits {
			followed.start()
		}
		return followed.known, nil
	}
	if followed.reading != nil || !waits {
		// cached metadata may still be usable
		if found := followed.wait(); found != nil {
			return found, nil
		}
	}
	if followed.isUsable(stale) {
		return followed.known, nil
	}
	return nil, errUnavailable
}

// newer returns newer metadata if a token contains values that `than` lacks. nil: there is none.
func (followed *followed) newer(than *metadata) (*metadata, error) {
	followed.lock.Lock()
	defer followed.lock.Unlock()
	if followed.known != than {
		// another call has updated the metadata meanwhile
		return followed.known, nil
	}
	now := followed.api.now()
	if followed.reading == nil && now.Sub(followed.unknownAt) < unknown {
		if !followed.failedAt.IsZero() && !followed.failedAt.Before(followed.unknownAt) {
			return nil, errUnavailable
		}
		return nil, nil
	}
	if followed.reading == nil {
		followed.unknownAt = now
	}
	if found := followed.wait(); found != nil {
		return found, nil
	}
	return nil, errUnavailable
}

func (followed *followed) isUsable(age time.Duration) bool {
	return followed.known != nil && followed.api.now().Sub(followed.at) < age
}

// wait requires the lock, and releases it while it waits.
func (followed *followed) wait() *metadata {
	reading := followed.start()
	followed.lock.Unlock()
	<-reading.done
	followed.lock.Lock()
	return reading.metadata
}

// start requires the lock.
func (followed *followed) start() *reading {
	if followed.reading == nil {
		// age counts from the request, because content may be older than its response
		at, made := followed.api.now(), &reading{done: make(chan struct{})}
		followed.reading = made
		go func() {
			found, err := followed.api.load()
			followed.lock.Lock()
			if err == nil {
				made.metadata, followed.known, followed.at, followed.failedAt = found, found, at, time.Time{}
			} else {
				followed.failedAt = followed.api.now()
			}
			followed.reading = nil
			followed.lock.Unlock()
			if err != nil {
				followed.api.tell(err.Error())
			}
			close(made.done)
		}()
	}
	return followed.reading
}

// introspection introspects opaque tokens (RFC 7662). It caches results for seconds, keyed by token hash.
type introspection struct {
	api     *API
	lock    sync.Mutex
	kept    map[[32]byte]*list.Element
	order   *list.List
	flights map[[32]byte]*question
}

type question struct {
	done  chan struct{}
	hash  [32]byte
	until time.Time
	said  []byte // nil: the token is rejected
	err   error
}

func (asked *introspection) ask(token string, metadata *metadata) (map[string]any, error) {
	if asked.api.credential == "" {
		asked.api.tell("the tokens of this API are opaque: its introspection secret is not set")
		return nil, errUnavailable
	}
	answer := asked.shared(token, metadata.introspection)
	if answer.err != nil {
		return nil, answer.err
	}
	var claims map[string]any
	// each caller gets a separate copy of the claims
	if answer.said == nil || json.Unmarshal(answer.said, &claims) != nil {
		return nil, invalid("the introspection endpoint says that the token is not active, or it is bound to a key")
	}
	delete(claims, "active")
	issuer, _ := claims["iss"].(string)
	if !isOneOf(issuer, metadata.issuers) {
		newer, err := asked.api.followed.newer(metadata)
		if err != nil {
			return nil, err
		}
		if newer == nil || !isOneOf(issuer, newer.issuers) {
			return nil, invalid(wrongIssuer(claims, metadata))
		}
	}
	if !hasAudience(claims["aud"], metadata.resource) {
		return nil, invalid(wrongAudience(claims, metadata))
	}
	return claims, nil
}

func (asked *introspection) shared(token, address string) *question {
	hash := sha256.Sum256([]byte(address + " " + token))
	asked.lock.Lock()
	if element := asked.kept[hash]; element != nil {
		if kept := element.Value.(*question); asked.api.now().Before(kept.until) {
			asked.lock.Unlock()
			return kept
		}
	}
	if flight := asked.flights[hash]; flight != nil {
		asked.lock.Unlock()
		<-flight.done
		return flight
	}
	if len(asked.flights) >= mostAtOnce {
		asked.lock.Unlock()
		return &question{err: errUnavailable}
	}
	mine := &question{done: make(chan struct{}), hash: hash, err: errUnavailable}
	asked.flights[hash] = mine
	asked.lock.Unlock()
	defer func() {
		asked.lock.Lock()
		delete(asked.flights, hash)
		if mine.err == nil {
			asked.keep(mine)
		}
		asked.lock.Unlock()
		close(mine.done)
	}()
	mine.until, mine.said, mine.err = asked.answer(token, address)
	return mine
}

// keep requires the lock. It evicts the oldest entries.
func (asked *introspection) keep(answer *question) {
	if before := asked.kept[answer.hash]; before != nil {
		asked.order.Remove(before)
	}
	asked.kept[answer.hash] = asked.order.PushBack(answer)
	if oldest := asked.order.Front(); asked.order.Len() > mostEntries {
		delete(asked.kept, asked.order.Remove(oldest).(*question).hash)
	}
}

func (asked *introspection) answer(token, address string) (time.Time, []byte, error) {
	at := asked.api.now()
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	said, err := fetch(address, form, asked.api.credential)
	if err != nil {
		asked.api.tell(err.Error())
		return at, nil, errUnavailable
	}
	exp, _ := said["exp"].(float64)
	left := exp - seconds(time.Now())
	kind, _ := said["token_type"].(string)
	// an active token can also be a refresh token
	if said["active"] != true || left <= 0 || !strings.EqualFold(kind, "bearer") {
		return at.Add(keptInactive), nil, nil
	}
	kept := keptActive
	if left < kept.Seconds() {
		kept = time.Duration(left * float64(time.Second))
	}
	text, err := json.Marshal(said)
	return at.Add(kept), text, err
}

var client = &http.Client{
	Timeout:       timeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fetch makes one call, with a limit for time and size, and without redirects. Errors never contain response text.
func fetch(address string, form url.Values, credential string) (map[string]any, error) {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if form != nil {
		request, err = http.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	}
	if err != nil {
		return nil, errors.New(address + ": it is not an address")
	}
	request.Header.Set("Accept", "application/json")
	if form == nil {
		// calls are rare, so each has a new connection; on a reused connection Go would retry a failed request
		request.Close = true
	} else {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Authorization", credential)
	}
	answer, err := client.Do(request)
	if err != nil {
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: it answers %d", address, answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if len(text) > mostBytes {
		return nil, fmt.Errorf("%s: it is larger than %d bytes", address, mostBytes)
	}
	var said map[string]any
	if json.Unmarshal(text, &said) != nil || said == nil {
		return nil, errors.New(address + ": it is not a JSON object")
	}
	return said, nil
}

// tell drops a message that equals the previous message.
func (api *API) tell(message string) {
	api.telling.Lock()
	isNew := message != api.told
	api.told = message
	api.telling.Unlock()
	if isNew {
		api.problem(message)
	}
}

func isProduction() bool {
	for _, name := range []string{"APP_ENV", "ENVIRONMENT"} {
		if strings.HasPrefix(strings.ToLower(os.Getenv(name)), "prod") {
			return true
		}
	}
	return false
}

// shown formats a token value for a reason: limited length, no control characters.
func shown(value any) string {
	text, _ := json.Marshal(value)
	if len(text) > 200 {
		text = text[:200]
	}
	return string(text)
}

func wrongIssuer(claims map[string]any, metadata *metadata) string {
	return "iss of the token is " + shown(claims["iss"]) + ", but the API accepts " + strings.Join(metadata.issuers, " ")
}

func wrongAudience(claims map[string]any, metadata *metadata) string {
	return "aud of the token is " + shown(claims["aud"]) + ", but the url of the API is " + metadata.resource
}

// secure returns the URL if intermediaries cannot modify responses: https, or http on localhost.
func secure(address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	if err == nil && oneWord.MatchString(address) && parsed.Hostname() != "" &&
		(parsed.Scheme == "https" || (parsed.Scheme == "http" && loopback.MatchString(parsed.Hostname()))) {
		return parsed, nil
	}
	return nil, fmt.Errorf("%.200q must be https, or http on this machine", address)
}

func wants(holds bool, otherwise string) {
	if !holds {
		panic("gatehouse: " + otherwise)
	}
}

// decoded returns the object of a part of a JWT, or nil.
func decoded(part string) (object map[string]any) {
	text, err := base64url.DecodeString(part)
	if err != nil || json.Unmarshal(bytes.TrimSpace(text), &object) != nil {
		return nil
	}
	return object
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1_000 }

func hasAudience(audience any, resource string) bool {
	return audience == resource || isOneOf(resource, textsOf(audience))
}

func textsOf(value any) []string {
	listed, _ := value.([]any)
	texts := make([]string, 0, len(listed))
	for _, one := range listed {
		text, isText := one.(string)
		if !isText || text == "" {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

func isOneOf(text string, texts []string) bool {
	for _, one := range texts {
		if one == text {
			return true
		}
	}
	return false
}
