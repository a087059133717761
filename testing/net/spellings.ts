// Equivalent and different spellings of values: every DPoP verifier must agree on them.

/** RFC 7515 §4.1.9: a media type in `typ` is compared without case, and without `application/`. */
export const TYP_SPELLINGS: readonly [typ: string, isProof: boolean][] = [
  ['dpop+jwt', true],
  ['DPoP+JWT', true],
  ['application/dpop+jwt', true],
  ['Application/DPOP+jwt', true],
  ['application/application/dpop+jwt', false],
  ['text/dpop+jwt', false],
  ['dpop+jwt ', false],
  ['dpop', false],
  ['JWT', false],
  ['at+jwt', false],
];

/** RFC 3986 §6.2.2, §6.2.3: `htu` compared with the request's URL, and expected result. */
export const HTU_SPELLINGS: readonly [address: string, htu: string, isSame: boolean][] = [
  ['https://api.example/orders/a-b', 'https://api.example/orders/a%2Db', true],
  ['https://api.example/orders/a-b', 'https://api.example/%6Frders/%61-b', true],
  ['https://api.example/orders/~x', 'https://api.example/orders/%7ex', true],
  ['https://api.example/orders/%c3%a9', 'https://api.example/orders/%C3%A9', true],
  ['https://api.example/orders', 'HTTPS://API.example:443/orders', true],
  ['https://api.example/orders', 'https://api.example/x/../orders', true],
  ['https://api.example/orders', 'https://api.example/orders?page=2#top', true],
  ['https://api.example/a/b', 'https://api.example/a%2Fb', false],
  ['https://api.example/a%2fb', 'https://api.example/a%2Fb', true],
  ['https://api.example/a%3Fb', 'https://api.example/a?b', false],
  ['https://api.example/a%252Db', 'https://api.example/a%2Db', false],
  ['https://api.example/orders', 'https://api.example/Orders', false],
  ['https://api.example/orders', 'https://api.example/orders/', false],
  ['https://api.example/orders', 'http://api.example/orders', false],
];
