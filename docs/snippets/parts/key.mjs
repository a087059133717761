
// The private half of a registered key, ES256 here. Its kid is that of the registered one.
const jwk = JSON.parse(process.env.PRIVATE_KEY);
const curve = { name: 'ECDSA', namedCurve: 'P-256' };
const key = await crypto.subtle.importKey('jwk', jwk, curve, false, ['sign']);
