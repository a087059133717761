
// Tokens are bound to this key. Keep key and handle as long as the tokens.
const keys = await client.randomDPoPKeyPair('ES256');
const DPoP = client.getDPoPHandle(config, keys);
