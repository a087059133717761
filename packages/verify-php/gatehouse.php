<?php
/**
 * Protects an API with access tokens of Gatehouse. Its input is the address of the API's protected resource metadata.
 *
 * Requires PHP 8.1 with openssl, and sodium for Ed25519. Error responses follow RFC 6750 §3, RFC 9470 §3 and
 * RFC 9728 §5.1.
 */

declare(strict_types=1);

namespace Gatehouse;

/** Caller of a request. */
final class Caller
{
    public function __construct(
        /** User id; client id for machine tokens. */
        public readonly string $sub,
        public readonly string $clientId,
        /** Scopes, separated by spaces. */
        public readonly string $scope,
        /** `person` or `machine`. */
        public readonly string $kind,
        /** Actor of a delegated token (RFC 8693 §4.1), or null. */
        public readonly ?array $act,
        /** All claims of the token. */
        public readonly array $claims,
    ) {
    }
}

/** Error response: `status` (401, 403 or 503) and `headers`, without a body. `reason` is for the API's log. */
final class Refused extends \Exception
{
    public readonly array $headers;

    public function __construct(public readonly int $status, array $headers, public readonly string $reason = '')
    {
        $this->headers = $headers + ['Cache-Control' => 'no-store'];
        parent::__construct("refused with $status");
    }
}

/** @internal */
final class Invalid extends \Exception
{
}

/** @internal Error that outdated metadata may have caused. */
final class NotKnown extends \Exception
{
}

/** @internal */
final class Unavailable extends \Exception
{
}

/** One API. Unknown names throw Error, invalid values throw ValueError. */
final class Api
{
    private const TIMEOUT = 5;
    private const MOST_BYTES = 262_144;
    private const MOST_CHARACTERS = 16_384;
    private const CLASSES = ['password', 'mfa', 'phishing-resistant'];
    private const BOUND = 'the token is bound to a key, but this file does not check proofs';
    private const NO_JWT = 'the token is not a JWT, but this API uses JWTs';
    private const WORD = '/\A[!#-\[\]-~]+\z/';
    private const ASYMMETRIC = '/\A(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA)\z/';

    private readonly ?string $credential;
    private readonly Followed $followed;
    private readonly ?Answers $answers;
    private readonly \Closure $problem;
    private readonly \Closure $hearRefusal;
    private string $told = '';

    /**
     * `introspectionSecret` is required for opaque tokens, `introspectionId` if `address` does not end in
     * `/apis/<id>`. `issuers` accepts only tokens of these issuers. `cache` is a folder that only this program writes.
     * `onRefused` receives the reason of each 401 and 403 response, without a token. Default: `error_log`, or nothing
     * if `APP_ENV` or `ENVIRONMENT` starts with `prod`.
     */
    public function __construct(
        private readonly string $address,
        #[\SensitiveParameter] ?string $introspectionSecret = null,
        ?string $introspectionId = null,
        private readonly ?array $issuers = null,
        private readonly int|float $clockTolerance = 5,
        ?callable $onProblem = null,
        ?callable $onRefused = null,
        ?string $cache = null,
        ?callable $clock = null,
    ) {
        self::secure($address);
        foreach ($issuers ?? [] as $issuer) {
            self::secure($issuer);
        }
        self::wants($issuers !== [], 'issuers is a list of addresses');
        self::wants($clockTolerance >= 0 && $clockTolerance <= 60, 'clockTolerance is 0 to 60 seconds');
        $found = preg_match('~/apis/([^/]+)\z~', (string) parse_url($address, PHP_URL_PATH), $end);
        $id = $introspectionId ?? ($found ? rawurldecode($end[1]) : '');
        self::wants(
            $introspectionSecret === null || ($introspectionSecret !== '' && $id !== ''),
            'introspectionSecret requires a value and the id of the API',
        );
        $pair = urlencode($id) . ':' . urlencode($introspectionSecret ?? ''); // RFC 6749 §2.3.1
        $this->credential = $introspectionSecret === null ? null : 'Basic ' . base64_encode($pair);
        $this->problem = $onProblem === null
            ? static fn(string $message) => error_log("gatehouse: $message")
            : \Closure::fromCallable($onProblem);
        $say = self::isProduction()
            ? static fn(string $reason) => null
            : static fn(string $reason) => error_log("gatehouse: refused: $reason");
        $this->hearRefusal = $onRefused === null ? $say : \Closure::fromCallable($onRefused);
        $clock = $clock === null ? static fn() => microtime(true) : \Closure::fromCallable($clock);
        $folder = $cache ?? $this->ownFolder();
        self::wants($cache === null || (is_dir($cache) && is_writable($cache)), 'cache must be a writable folder');
        $name = hash('sha256', json_encode([$address, $issuers], JSON_THROW_ON_ERROR));
        $this->followed = new Followed(
            $folder === null ? null : "$folder/metadata-$name",
            $clock,
            fn() => $this->load(),
            fn(string $message) => $this->tell($message),
        );
        $this->answers = $folder === null ? null : new Answers($folder, $clock);
    }

    /** Returns the caller of the current request; otherwise sends the error response and exits. */
    public function require(
        string|array $scope = [],
        ?string $acr = null,
        ?int $maxAge = null,
        ?string $kind = null,
    ): Caller {
        try {
            return $this->check(self::authorization(), $scope, $acr, $maxAge, $kind);
        } catch (Refused $refused) {
            foreach ($refused->headers as $name => $value) {
                header("$name: $value");
            }
            // last, because PHP sets 401 with WWW-Authenticate
            http_response_code($refused->status);
            exit;
        }
    }

    /**
     * `$header` is the value of Authorization, all its values, or null. Requires all scopes in `scope`, a sign-in of
     * the class `acr` or a higher class, at most `maxAge` seconds old, and the `kind` person or machine. Throws Refused.
     */
    public function check(
        #[\SensitiveParameter] string|array|null $header,
        string|array $scope = [],
        ?string $acr = null,
        ?int $maxAge = null,
        ?string $kind = null,
    ): Caller {
        try {
            return $this->decide($header, $scope, $acr, $maxAge, $kind);
        } catch (Refused $refused) {
            if ($refused->status !== 503) {
                ($this->hearRefusal)($refused->reason);
            }
            throw $refused;
        }
    }

    private function decide(
        #[\SensitiveParameter] string|array|null $header,
        string|array $scope,
        ?string $acr,
        ?int $maxAge,
        ?string $kind,
    ): Caller {
        $scopes = is_string($scope) ? explode(' ', $scope) : $scope;
        foreach ($scopes as $word) {
            $isWord = is_string($word) && preg_match(self::WORD, $word) === 1;
            self::wants($isWord, 'scope is words separated by single spaces');
        }
        self::wants($acr === null || preg_match(self::WORD, $acr) === 1, 'acr is one class');
        self::wants($maxAge === null || $maxAge >= 0, 'maxAge is whole seconds');
        self::wants(in_array($kind, [null, 'person', 'machine'], true), 'kind is person or machine');
        self::wants($kind !== 'machine' || ($acr ?? $maxAge) === null, 'kind machine excludes acr and maxAge');

        $given = is_array($header) ? implode(', ', $header) : $header ?? '';
        if (strlen($given) > self::MOST_CHARACTERS) {
            throw $this->invalid('the Authorization header is too long');
        }
        if (!preg_match('/(?:^|,\s*)(?:bearer|dpop) +\S/i', $given)) {
            throw $this->challenge(401, 'the request has no Authorization header with an access token');
        }
        // rejects two headers: tokens contain no comma
        if (!preg_match('~\A(?i:bearer) +([A-Za-z0-9_.\~+/-]+=*)\z~', $given, $found)) {
            $isDpop = stripos($given, 'dpop ') === 0;
            throw $this->invalid($isDpop ? self::BOUND : 'the Authorization header is not one token');
        }
        try {
            $caller = $this->callerOf($found[1]);
        } catch (Invalid | NotKnown $error) {
            throw $this->invalid($error->getMessage());
        } catch (Unavailable) {
            throw new Refused(503, ['Retry-After' => '5']);
        }
        if ($kind !== null && $caller->kind !== $kind) {
            $reason = "the token is for a $caller->kind, but the route requires a $kind";
            throw $this->challenge(403, $reason, 'insufficient_scope', "this needs the token of a $kind");
        }
        $lacking = array_diff($scopes, explode(' ', $caller->scope));
        if ($lacking !== []) {
            $reason = 'the token lacks the scope ' . implode(' ', $lacking) . ': it has ' . self::shown($caller->scope);
            $words = ['scope' => implode(' ', $scopes)];
            throw $this->challenge(403, $reason, 'insufficient_scope', 'the token does not have this scope', $words);
        }
        if (!self::isStrong($caller, $acr, $maxAge)) {
            $wanted = ['acr_values' => $acr, 'max_age' => $maxAge];
            $weak = 'a stronger or a newer sign-in is needed';
            [$has, $at] = [self::shown($caller->claims['acr'] ?? null), self::shown($caller->claims['auth_time'] ?? null)];
            $reason = "the sign-in is too weak or too old: acr is $has, auth_time is $at";
            throw $this->challenge(401, $reason, 'insufficient_user_authentication', $weak, $wanted);
        }
        return $caller;
    }

    /** Returns all values of the header, if PHP and its web server provide them. */
    private static function authorization(): ?string
    {
        // Apache passes it to CGI under the second name
        return $_SERVER['HTTP_AUTHORIZATION'] ?? $_SERVER['REDIRECT_HTTP_AUTHORIZATION'] ?? null;
    }

    private function invalid(string $reason): Refused
    {
        return $this->challenge(401, $reason, 'invalid_token', 'the token is not valid here');
    }

    private function challenge(
        int $status,
        string $reason,
        ?string $error = null,
        ?string $why = null,
        array $more = [],
    ): Refused {
        $said = ['error' => $error, 'error_description' => $why, ...$more, 'resource_metadata' => $this->address];
        $parameters = [];
        foreach ($said as $name => $value) {
            if ($value !== null) {
                $parameters[] = "$name=\"$value\"";
            }
        }
        return new Refused($status, ['WWW-Authenticate' => 'Bearer ' . implode(', ', $parameters)], $reason);
    }

    private static function isStrong(Caller $caller, ?string $acr, ?int $maxAge): bool
    {
        if ($acr === null && $maxAge === null) {
            return true;
        }
        ['acr' => $has, 'auth_time' => $at] = $caller->claims + ['acr' => null, 'auth_time' => null];
        $least = self::rank($acr);
        $strong = $acr === null || $acr === $has || ($least >= 0 && self::rank($has) >= $least);
        $fresh = $maxAge === null || (self::isNumber($at) && microtime(true) - $at <= $maxAge);
        return $caller->kind === 'person' && $strong && $fresh;
    }

    /** Returns -1 for unknown classes. `phr` and `phrh` are aliases of the highest class. */
    private static function rank(mixed $acr): int
    {
        if (in_array($acr, ['phr', 'phrh'], true)) {
            return 2;
        }
        $classes = array_map(static fn(string $name) => "urn:gatehouse:acr:$name", self::CLASSES);
        $found = array_search($acr, $classes, true);
        return $found === false ? -1 : $found;
    }

    private function callerOf(#[\SensitiveParameter] string $token): Caller
    {
        $metadata = $this->followed->current();
        $claims = $metadata['format'] === 'jwt'
            ? $this->claimsOfJwt($token, $metadata)
            : $this->introspected($token, $metadata);
        $names = ['sub', 'client_id', 'scope', 'act', 'iat'];
        [$sub, $client, $scope, $act, $issued] = array_map(static fn(string $name) => $claims[$name] ?? null, $names);
        // a bound token proves nothing without a proof, which this file does not check
        if (array_key_exists('cnf', $claims)) {
            throw new Invalid(self::BOUND);
        }
        if (!self::isText($sub) || !self::isText($client) || !is_string($scope ?? '') || !self::isObject($act ?? [])) {
            throw new Invalid('sub, client_id, scope or act of the token is invalid');
        }
        if (!self::isNumber($issued) || $issued > microtime(true) + $this->clockTolerance) {
            throw new Invalid('iat of the token is ' . self::shown($issued) . ', in the future: compare the clocks');
        }
        return new Caller($sub, $client, $scope ?? '', $sub === $client ? 'machine' : 'person', $act, $claims);
    }

    private function claimsOfJwt(#[\SensitiveParameter] string $token, array $metadata): array
    {
        try {
            return $this->checkJwt($token, $metadata);
        } catch (NotKnown $error) {
            $newer = $this->followed->newer($metadata);
        }
        if (($newer['format'] ?? null) !== 'jwt') {
            throw new Invalid($error->getMessage());
        }
        return $this->checkJwt($token, $newer);
    }

    private function checkJwt(#[\SensitiveParameter] string $token, array $metadata): array
    {
        $parts = explode('.', $token);
        if (count($parts) !== 3) {
            throw new Invalid(self::NO_JWT);
        }
        [$header, $claims] = [self::decoded($parts[0]), self::decoded($parts[1])];
        $signature = self::bytesOf($parts[2]);
        $type = strtolower(is_string($header['typ'] ?? null) ? $header['typ'] : '');
        if (!in_array($type, ['at+jwt', 'application/at+jwt'], true) || array_key_exists('crit', $header)) {
            throw new Invalid('typ of the token is ' . self::shown($type) . ', not at+jwt: not an access token');
        }
        [$alg, $kid] = [$header['alg'] ?? null, $header['kid'] ?? null];
        $key = is_string($kid) ? $metadata['keys']["kid $kid"] ?? null : null;
        if ($key === null) {
            throw new NotKnown('no key of the issuers has the kid ' . self::shown($kid));
        }
        if (!in_array($alg, $metadata['algorithms'], true)) {
            throw new NotKnown('the token is not signed with ' . implode(' or ', $metadata['algorithms']));
        }
        if ($key['alg'] !== $alg || !Key::verifies($key, "$parts[0].$parts[1]", $signature)) {
            throw new Invalid('the signature of the token is wrong');
        }
        $now = microtime(true);
        [$exp, $before, $issuer] = [$claims['exp'] ?? null, $claims['nbf'] ?? 0, $claims['iss'] ?? null];
        if (!self::isNumber($exp) || $exp <= $now - $this->clockTolerance) {
            throw new Invalid('the token has expired: exp is ' . self::shown($exp));
        }
        if (!self::isNumber($before) || $before > $now + $this->clockTolerance) {
            throw new Invalid('nbf of the token is ' . self::shown($before) . ', in the future: compare the clocks');
        }
        if (!self::isText($issuer) || !self::hasAudience($claims, $metadata)) {
            throw new Invalid(self::wrongAudience($claims, $metadata));
        }
        // the issuer is checked only after the signature, so that strangers cannot trigger fetches of metadata
        if (!in_array($issuer, $metadata['issuers'], true)) {
            throw new NotKnown(self::wrongIssuer($claims, $metadata));
        }
        return $claims;
    }

    /** Introspects an opaque token (RFC 7662). */
    private function introspected(#[\SensitiveParameter] string $token, array $metadata): array
    {
        if ($this->credential === null) {
            $this->tell('the tokens of this API are opaque: its introspection secret is not set');
            throw new Unavailable();
        }
        $address = $metadata['introspection'];
        $ask = function () use ($token, $address): array {
            try {
                return $this->fetchJson($address, ['token' => $token, 'token_type_hint' => 'access_token']);
            } catch (Unavailable $error) {
                $this->tell($error->getMessage());
                throw $error;
            }
        };
        $claims = $this->answers === null ? Answers::claimsOf($ask())[0] : $this->answers->of("$address $token", $ask);
        if ($claims === null) {
            throw new Invalid('the introspection endpoint says that the token is not active, or it is bound to a key');
        }
        $issuer = $claims['iss'] ?? null;
        if (!in_array($issuer, $metadata['issuers'], true)) {
            $newer = $this->followed->newer($metadata);
            if ($newer === null || !in_array($issuer, $newer['issuers'], true)) {
                throw new Invalid(self::wrongIssuer($claims, $metadata));
            }
        }
        if (!self::hasAudience($claims, $metadata)) {
            throw new Invalid(self::wrongAudience($claims, $metadata));
        }
        return $claims;
    }

    /** Loads the metadata of the API (RFC 9728) and of its issuers (RFC 8414). */
    private function load(): array
    {
        $said = $this->fetchJson($this->address);
        [$resource, $format] = [$said['resource'] ?? null, $said['access_token_format'] ?? null];
        $issuers = $this->issuers ?? $said['authorization_servers'] ?? null;
        if (!self::isText($resource) || !is_array($issuers) || $issuers === []
            || array_filter($issuers, self::isText(...)) !== $issuers) {
            throw new Unavailable("$this->address: it must contain resource and issuers");
        }
        if (!in_array($format, ['jwt', 'opaque'], true)) {
            throw new Unavailable("$this->address: its access_token_format is not known");
        }
        $isKnown = static fn(mixed $alg) => is_string($alg) && preg_match(self::ASYMMETRIC, $alg) === 1;
        $algorithms = array_values(array_filter((array) ($said['access_token_signing_alg'] ?? []), $isKnown));
        if ($format === 'jwt' && $algorithms === []) {
            throw new Unavailable("$this->address: its access_token_signing_alg is not known");
        }
        $issuer = $this->firstAnswer($issuers);
        $isJwt = $format === 'jwt';
        return [
            'resource' => $resource,
            'issuers' => $issuers,
            'format' => $format,
            'algorithms' => $algorithms,
            'keys' => $isJwt ? $this->loadKeys(self::secure($issuer['jwks_uri'] ?? null), $algorithms) : [],
            'introspection' => $isJwt ? '' : self::secure($issuer['introspection_endpoint'] ?? null),
        ];
    }

    /** Issuers of an API share one key set, so the second issuer is a fallback. */
    private function firstAnswer(array $issuers): array
    {
        $last = null;
        foreach (array_slice($issuers, 0, 2) as $issuer) {
            $origin = preg_match('~\A(https?://[^/?#]+)([^?#]*)~', self::secure($issuer), $found) ? $found[1] : '';
            $path = $found[2] === '/' ? '' : $found[2];
            $address = "$origin/.well-known/oauth-authorization-server$path";
            try {
                $said = $this->fetchJson($address);
                if (($said['issuer'] ?? null) === $issuer) {
                    return $said;
                }
                $last = new Unavailable("$address: it contains another issuer");
            } catch (Unavailable $error) {
                $last = $error;
            }
        }
        throw $last;
    }

    private function loadKeys(string $address, array $algorithms): array
    {
        $listed = $this->fetchJson($address)['keys'] ?? null;
        if (!is_array($listed)) {
            throw new Unavailable("$address: it is not a key set");
        }
        $found = [];
        foreach ($listed as $jwk) {
            [$kid, $alg] = [$jwk['kid'] ?? null, $jwk['alg'] ?? null];
            $key = self::isText($kid) && in_array($alg, $algorithms, true) ? Key::of($jwk, $alg) : null;
            if ($key !== null) {
                // PHP converts a key of digits to a number
                $found["kid $kid"] = $key;
            }
        }
        return $found;
    }

    /** One call, with a limit for time and size, and without redirects. Errors never contain response text. */
    private function fetchJson(string $address, ?array $form = null): array
    {
        $headers = ['Accept: application/json', 'Connection: close'];
        $http = ['timeout' => self::TIMEOUT, 'protocol_version' => 1.1];
        $http += ['follow_location' => 0, 'ignore_errors' => true];
        if ($form !== null) {
            $headers[] = 'Content-Type: application/x-www-form-urlencoded';
            $headers[] = "Authorization: $this->credential";
            $http += ['method' => 'POST', 'content' => http_build_query($form)];
        }
        $ends = microtime(true) + self::TIMEOUT;
        $stream = @fopen($address, 'r', false, stream_context_create(['http' => $http + ['header' => $headers]]));
        if ($stream === false) {
            throw new Unavailable("$address: it cannot be reached");
        }
        try {
            [$first] = stream_get_meta_data($stream)['wrapper_data'] ?? [''];
            $status = preg_match('~\AHTTP/\S+ (\d+)~', (string) $first, $found) ? $found[1] : 'nothing';
            if ($status !== '200') {
                throw new Unavailable("$address: it answers $status");
            }
            $text = '';
            while (!feof($stream)) {
                $text .= (string) fread($stream, 65_536);
                if (strlen($text) > self::MOST_BYTES) {
                    throw new Unavailable("$address: it is larger than " . self::MOST_BYTES . ' bytes');
                }
                if (microtime(true) > $ends || stream_get_meta_data($stream)['timed_out']) {
                    throw new Unavailable("$address: it takes too long");
                }
            }
        } finally {
            fclose($stream);
        }
        $said = json_decode($text, true);
        if (!self::isObject($said)) {
            throw new Unavailable("$address: it is not a JSON object");
        }
        return $said;
    }

    /** Returns a temporary folder that only this user can access, or null. */
    private function ownFolder(): ?string
    {
        if (function_exists('posix_geteuid')) {
            $folder = sys_get_temp_dir() . '/gatehouse-verify-' . posix_geteuid();
            @mkdir($folder, 0700);
            clearstatcache();
            // another user may have created it
            $is = @lstat($folder);
            if ($is && ($is['mode'] & 0170777) === 0040700 && $is['uid'] === posix_geteuid()) {
                return $folder;
            }
        }
        $this->tell('no folder for the cache between requests exists: set `cache`');
        return null;
    }

    /** Drops a message that equals the previous message. */
    private function tell(string $message): void
    {
        if ($message !== $this->told) {
            ($this->problem)($message);
        }
        $this->told = $message;
    }

    /** Returns the address if intermediaries cannot modify responses: https, or http on localhost. */
    private static function secure(mixed $address): string
    {
        $parts = is_string($address) && preg_match(self::WORD, $address) ? parse_url($address) : false;
        $loopback = preg_match('/\A(?:localhost|127(?:\.\d+){3}|\[::1\])\z/', $parts['host'] ?? '') === 1;
        $scheme = $parts['scheme'] ?? '';
        self::wants(
            ($parts['host'] ?? '') !== '' && ($scheme === 'https' || ($scheme === 'http' && $loopback)),
            substr(is_string($address) ? $address : '', 0, 200) . ' must be https, or http on this machine',
        );
        return $address;
    }

    private static function wants(bool $holds, string $otherwise): void
    {
        if (!$holds) {
            throw new \ValueError($otherwise);
        }
    }

    private static function decoded(string $part): array
    {
        $said = json_decode(self::bytesOf($part), true);
        if (!self::isObject($said)) {
            throw new Invalid(self::NO_JWT);
        }
        return $said;
    }

    private static function bytesOf(string $part): string
    {
        $bytes = base64_decode(strtr($part, '-_', '+/'), true);
        if ($bytes === false || !preg_match('/\A[\w-]*\z/', $part)) {
            throw new Invalid(self::NO_JWT);
        }
        return $bytes;
    }

    private static function hasAudience(array $claims, array $metadata): bool
    {
        return in_array($metadata['resource'], (array) ($claims['aud'] ?? []), true);
    }

    /** True if `APP_ENV` or `ENVIRONMENT` starts with `prod`. */
    private static function isProduction(): bool
    {
        $set = [getenv('APP_ENV'), getenv('ENVIRONMENT')];
        return preg_grep('/\Aprod/i', array_filter($set, is_string(...))) !== [];
    }

    /** Formats a token value for a reason: limited length, no control characters. */
    private static function shown(mixed $value): string
    {
        return substr((string) json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), 0, 200);
    }

    private static function wrongIssuer(array $claims, array $metadata): string
    {
        $taken = implode(' ', $metadata['issuers']);
        return 'iss of the token is ' . self::shown($claims['iss'] ?? null) . ", but the API accepts $taken";
    }

    private static function wrongAudience(array $claims, array $metadata): string
    {
        return 'aud of the token is ' . self::shown($claims['aud'] ?? null) . ", but the url of the API is $metadata[resource]";
    }

    private static function isObject(mixed $value): bool
    {
        return is_array($value) && ($value === [] || !array_is_list($value));
    }

    private static function isText(mixed $value): bool
    {
        return is_string($value) && $value !== '';
    }

    private static function isNumber(mixed $value): bool
    {
        return is_int($value) || (is_float($value) && is_finite($value));
    }
}

/** @internal A public key with its only permitted algorithm. */
final class Key
{
    private const CURVES = [
        'ES256' => ['P-256', 32, '06082a8648ce3d030107'],
        'ES384' => ['P-384', 48, '06052b81040022'],
        'ES512' => ['P-521', 66, '06052b81040023'],
    ];

    /** Returns null if the JWK does not fit the algorithm. */
    public static function of(array $jwk, string $alg): ?array
    {
        $bytes = static fn(string $name) => is_string($jwk[$name] ?? null)
            ? (string) base64_decode(strtr($jwk[$name], '-_', '+/'), true)
            : '';
        [$kind, $curve] = [$jwk['kty'] ?? null, $jwk['crv'] ?? null];
        if (isset(self::CURVES[$alg])) {
            [$name, $size, $oid] = self::CURVES[$alg];
            if ($kind !== 'EC' || $curve !== $name || strlen($bytes('x')) !== $size || strlen($bytes('y')) !== $size) {
                return null;
            }
            $type = self::der(0x30, hex2bin('06072a8648ce3d0201' . $oid));
            return self::checked($alg, $type, "\x04" . $bytes('x') . $bytes('y'));
        }
        if (str_starts_with($alg, 'Ed')) {
            $isOne = $kind === 'OKP' && $curve === 'Ed25519' && strlen($bytes('x')) === 32;
            $canCheck = function_exists('sodium_crypto_sign_verify_detached');
            return $isOne && $canCheck ? ['alg' => $alg, 'public' => base64_encode($bytes('x'))] : null;
        }
        if ($kind !== 'RSA' || $bytes('n') === '' || $bytes('e') === '') {
            return null;
        }
        $numbers = self::integer($bytes('n')) . self::integer($bytes('e'));
        $type = self::der(0x30, hex2bin('06092a864886f70d0101010500'));
        return self::checked($alg, $type, self::der(0x30, $numbers));
    }

    public static function verifies(array $key, string $text, string $signature): bool
    {
        ['alg' => $alg, 'public' => $public] = $key;
        $hash = 'sha' . substr($alg, 2);
        if (str_starts_with($alg, 'Ed')) {
            return strlen($signature) === 64
                && sodium_crypto_sign_verify_detached($signature, $text, base64_decode($public));
        }
        if (str_starts_with($alg, 'PS')) {
            return self::verifiesPss($public, $hash, $text, $signature);
        }
        if (isset(self::CURVES[$alg])) {
            $size = self::CURVES[$alg][1];
            if (strlen($signature) !== 2 * $size) {
                return false;
            }
            [$r, $s] = str_split($signature, $size);
            $signature = self::der(0x30, self::integer($r) . self::integer($s));
        }
        return openssl_verify($text, $signature, $public, $hash) === 1;
    }

    /** EMSA-PSS-VERIFY (RFC 8017 §9.1.2) with a salt as long as the hash (RFC 7518 §3.5). openssl_verify lacks it. */
    private static function verifiesPss(string $public, string $hash, string $text, string $signature): bool
    {
        $details = openssl_pkey_get_details(openssl_pkey_get_public($public));
        $size = intdiv($details['bits'] + 7, 8);
        $digest = hash($hash, $text, true);
        $length = strlen($digest);
        if (strlen($signature) !== $size
            || !openssl_public_decrypt($signature, $encoded, $public, OPENSSL_NO_PADDING)) {
            return false;
        }
        // one bit less than the modulus; if this fills whole bytes, the first byte is zero
        $bits = $details['bits'] - 1;
        if ($bits % 8 === 0) {
            if ($encoded[0] !== "\0") {
                return false;
            }
            $encoded = substr($encoded, 1);
        }
        $masked = strlen($encoded) - $length - 1;
        $unused = 8 * strlen($encoded) - $bits;
        if ($masked < $length + 1 || $encoded[-1] !== "\xbc" || ord($encoded[0]) >> (8 - $unused) !== 0) {
            return false;
        }
        $seed = substr($encoded, $masked, $length);
        $mask = '';
        for ($n = 0; strlen($mask) < $masked; $n++) {
            $mask .= hash($hash, $seed . pack('N', $n), true);
        }
        $block = substr($encoded, 0, $masked) ^ substr($mask, 0, $masked);
        $block[0] = chr(ord($block[0]) & (0xff >> $unused));
        $padding = str_repeat("\0", $masked - $length - 1) . "\x01";
        $expected = hash($hash, str_repeat("\0", 8) . $digest . substr($block, -$length), true);
        return hash_equals($padding, substr($block, 0, -$length)) && hash_equals($expected, $seed);
    }

    /** Returns null if openssl rejects the key, or if an RSA key has fewer than 2048 bits. */
    private static function checked(string $alg, string $type, string $bits): ?array
    {
        $der = self::der(0x30, $type . self::der(0x03, "\0$bits"));
        $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(base64_encode($der), 64) . "-----END PUBLIC KEY-----\n";
        $key = @openssl_pkey_get_public($pem);
        $isUsable = $key !== false && (isset(self::CURVES[$alg]) || openssl_pkey_get_details($key)['bits'] >= 2048);
        return $isUsable ? ['alg' => $alg, 'public' => $pem] : null;
    }

    private static function der(int $tag, string $value): string
    {
        $length = strlen($value);
        $long = ltrim(pack('N', $length), "\0");
        return chr($tag) . ($length < 128 ? chr($length) : chr(0x80 | strlen($long)) . $long) . $value;
    }

    /** Encodes an unsigned integer. */
    private static function integer(string $bytes): string
    {
        $short = ltrim($bytes, "\0");
        return self::der(0x02, $short === '' || ord($short[0]) > 127 ? "\0$short" : $short);
    }
}

/**
 * @internal Caches the metadata in a file for all requests. Refreshes them every five minutes, or when a token contains
 * an unknown value, with one request at a time.
 */
final class Followed
{
    private const FRESH = 300;
    private const STALE = 3_600; // maximum age of cached metadata during an outage
    private const RETRY = 10;
    private const FIRST_RETRY = 1; // before the first success
    private const UNKNOWN = 30; // minimum time between calls caused by unknown keys
    private const NOTHING = ['known' => null, 'at' => null, 'failed' => null, 'unknown' => null, 'reads' => 0];

    private array $state = self::NOTHING;

    public function __construct(
        private readonly ?string $file,
        private readonly \Closure $clock,
        private readonly \Closure $load,
        private readonly \Closure $tell,
    ) {
    }

    public function current(): array
    {
        $this->look();
        if ($this->isUsable(self::FRESH)) {
            return $this->state['known'];
        }
        $reads = $this->state['reads'];
        $failed = $this->since('failed');
        $waits = $failed < ($this->state['known'] ? self::RETRY : self::FIRST_RETRY);
        $stale = $this->isUsable(self::STALE) ? $this->state['known'] : null;
        if ($waits) {
            return $stale ?? throw new Unavailable();
        }
        // the last attempt failed, so only one request waits for the next attempt
        $isOne = $stale !== null && $failed < self::STALE;
        $lock = $this->lock($isOne ? LOCK_EX | LOCK_NB : LOCK_EX);
        if ($lock === false) {
            return $stale ?? throw new Unavailable();
        }
        try {
            return $this->read($reads);
        } catch (Unavailable $error) {
            // cached metadata may still be usable
            return $this->isUsable(self::STALE) ? $this->state['known'] : throw $error;
        } finally {
            $this->unlock($lock);
        }
    }

    /** Returns newer metadata if a token contains values that `than` lacks. Null: there is none. */
    public function newer(array $than): ?array
    {
        // waits for a request that reads it now
        $lock = $this->lock(LOCK_EX);
        try {
            $this->look();
            ['known' => $known, 'failed' => $failed, 'unknown' => $unknown, 'reads' => $reads] = $this->state;
            if ($known !== $than) {
                return $known;
            }
            if ($this->since('unknown') >= self::UNKNOWN) {
                $this->state['unknown'] = ($this->clock)();
                return $this->read($reads);
            }
            return $failed !== null && $failed >= $unknown ? throw new Unavailable() : null;
        } finally {
            $this->unlock($lock);
        }
    }

    /** `$reads`: number of reads at the decision. Uses the result of a later read. Requires the lock. */
    private function read(int $reads): array
    {
        $unknown = $this->state['unknown'];
        $this->look();
        if ($this->state['reads'] === $reads) {
            // age counts from the request, because content may be older than its response
            $at = ($this->clock)();
            $this->state['unknown'] = $unknown;
            try {
                $this->state = ['known' => ($this->load)(), 'at' => $at, 'failed' => null] + $this->state;
            } catch (Unavailable | \ValueError $error) {
                $this->state['failed'] = ($this->clock)();
                ($this->tell)($error->getMessage());
            }
            $this->state['reads']++;
            $this->keep();
        }
        if ($this->state['known'] === null || $this->state['failed'] !== null) {
            throw new Unavailable();
        }
        return $this->state['known'];
    }

    private function isUsable(int $seconds): bool
    {
        return $this->state['known'] !== null && $this->since('at') < $seconds;
    }

    /** Returns INF for a time in the future, because the clock was set back. */
    private function since(string $what): float
    {
        $at = $this->state[$what];
        $seconds = $at === null ? INF : ($this->clock)() - $at;
        return $seconds < 0 ? INF : $seconds;
    }

    /** Reads the state that another request may have written. */
    private function look(): void
    {
        $text = $this->file === null ? false : @file_get_contents("$this->file.json");
        $state = $text === false ? null : json_decode($text, true);
        if (is_array($state) && array_keys($state + self::NOTHING) === array_keys($state)) {
            $this->state = $state;
        }
    }

    private function keep(): void
    {
        $draft = $this->file === null ? false : @tempnam(dirname($this->file), 'draft-');
        if ($draft === false) {
            return;
        }
        file_put_contents($draft, json_encode($this->state, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION));
        rename($draft, "$this->file.json");
    }

    /** Null: no cache between requests. False: another request has the lock. */
    private function lock(int $how): mixed
    {
        $file = $this->file === null ? false : @fopen("$this->file.lock", 'c');
        if ($file === false) {
            return null;
        }
        return flock($file, $how) ? $file : false;
    }

    private function unlock(mixed $lock): void
    {
        if ($lock) {
            fclose($lock);
        }
    }
}

/**
 * @internal Caches introspection results for seconds, for all requests, in at most 4,096 files. The token is required
 * to read them.
 */
final class Answers
{
    private const ACTIVE = 10;
    private const INACTIVE = 1;
    private const CIPHER = 'aes-256-gcm';

    public function __construct(private readonly string $folder, private readonly \Closure $clock)
    {
    }

    /** Returns the claims of a valid token and their cache time. Null claims: the token is invalid. */
    public static function claimsOf(array $said): array
    {
        $exp = $said['exp'] ?? null;
        $left = is_int($exp) || is_float($exp) ? $exp - microtime(true) : 0;
        $type = $said['token_type'] ?? null;
        // an active token can also be a refresh token
        $isGood = ($said['active'] ?? null) === true && is_string($type) && strtolower($type) === 'bearer';
        unset($said['active']);
        return $isGood && $left > 0 ? [$said, min(self::ACTIVE, $left)] : [null, self::INACTIVE];
    }

    /** Returns the claims, or null. Requests with the same token send one introspection request. */
    public function of(#[\SensitiveParameter] string $asked, \Closure $ask): ?array
    {
        $began = microtime(true);
        $name = hash('sha256', "name $asked");
        $file = @fopen("$this->folder/answer-" . substr($name, 0, 3), 'c+');
        if ($file === false || !flock($file, LOCK_EX)) {
            return self::claimsOf($ask())[0];
        }
        try {
            $kept = $this->opened((string) stream_get_contents($file), $asked);
            $left = ($kept['until'] ?? 0) - ($this->clock)();
            // a longer time means that the clock was set back
            if ($left > 0 && $left <= self::ACTIVE) {
                return $kept['claims'];
            }
            // introspection failed while this request waited
            if (abs(($kept['failed'] ?? 0) - $began) < 10 && $kept['failed'] > $began) {
                throw new Unavailable();
            }
            // age counts from the request, because content may be older than its response
            $at = ($this->clock)();
            try {
                [$claims, $seconds] = self::claimsOf($ask());
            } catch (Unavailable $error) {
                $this->write($file, ['failed' => microtime(true)], $asked);
                throw $error;
            }
            $this->write($file, ['until' => $at + $seconds, 'claims' => $claims], $asked);
            return $claims;
        } finally {
            fclose($file);
        }
    }

    private function write(mixed $file, array $answer, #[\SensitiveParameter] string $asked): void
    {
        $nonce = random_bytes(12);
        $text = json_encode($answer, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        $sealed = openssl_encrypt($text, self::CIPHER, self::keyOf($asked), OPENSSL_RAW_DATA, $nonce, $tag);
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, $nonce . $tag . $sealed);
    }

    private function opened(string $sealed, #[\SensitiveParameter] string $asked): array
    {
        if (strlen($sealed) < 29) {
            return [];
        }
        [$nonce, $tag, $text] = [substr($sealed, 0, 12), substr($sealed, 12, 16), substr($sealed, 28)];
        $opened = openssl_decrypt($text, self::CIPHER, self::keyOf($asked), OPENSSL_RAW_DATA, $nonce, $tag);
        // entry of another token with the same file name
        return $opened === false ? [] : json_decode($opened, true);
    }

    private static function keyOf(#[\SensitiveParameter] string $asked): string
    {
        return hash('sha256', "key $asked", true);
    }
}
