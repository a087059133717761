// Which key of the client new tokens are bound to (RFC 9449).

/** SHA-256 thumbprints of 32 bytes; left out or null: bearer tokens. */
export type KeyBinding = {
  /** of the access token, and of a proof that the code or the refresh token may ask for */
  jkt?: Uint8Array | null;
  /** of the refresh tokens, which only a public client's are bound to (§5) */
  refreshJkt?: Uint8Array | null;
};

export const boundTo = ({ jkt = null, refreshJkt = null }: KeyBinding) => ({ jkt, refreshJkt });

/** As `cnf` has it (RFC 9449 §6.1): base64url. */
export const thumbprintText = (jkt: Uint8Array | null): string | null =>
  jkt && Buffer.from(jkt).toString('base64url');
