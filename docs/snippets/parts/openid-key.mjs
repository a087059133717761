
// The key that the tokens are bound to. Keep it, and the handle, as long as the tokens.
const keys = await client.randomDPoPKeyPair('ES256');
const DPoP = client.getDPoPHandle(config, keys);
