// Exports of Firebase and Auth0, written by hand according to their documentation. The hash is from Firebase's
// README; the password is user1password.
export const FIREBASE = {
  users: [
    {
      ...{ localId: 'Xy12Zq34', email: 'Ada@example.com', emailVerified: true, displayName: 'Ada' },
      passwordHash:
        'lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==',
      ...{ salt: '42xEC-ixf3L2lw==', createdAt: '1600000000000', lastSignedInAt: '1600000000001' },
      ...{
        photoUrl: 'https://img.example/ada.png',
        phoneNumber: '+15550100',
        customAttributes: '{"plan":"gold","iss":"x"}',
      },
      providerUserInfo: [
        { providerId: 'password', rawId: 'ada@example.com', email: 'ada@example.com' },
        {
          providerId: 'google.com',
          rawId: '1234567890',
          email: 'ada@gmail.com',
          displayName: 'Ada',
          photoUrl: 'x',
        },
      ],
      mfaInfo: [{ mfaEnrollmentId: 'm', phoneInfo: '+15550100' }],
    },
    { localId: 'Bb', email: 'bob@example.com', emailVerified: false, disabled: true, providerUserInfo: [] },
  ],
};
export const HASH_CONFIG = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;

export const AUTH0 = {
  ...{
    user_id: 'auth0|5f7c8ec7c33c6c004bbafe82',
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada',
  },
  ...{ nickname: 'ada', picture: 'https://img.example/ada.png', created_at: '2020-09-13T12:26:40.000Z' },
  ...{ updated_at: '2020-10-06T15:35:03.000Z', logins_count: 3, blocked: true },
  ...{ app_metadata: { plan: 'gold' }, user_metadata: { shoe: { size: 38 } } },
  identities: [
    {
      connection: 'Username-Password-Authentication',
      user_id: '5f7c8ec7c33c6c004bbafe82',
      provider: 'auth0',
      isSocial: false,
    },
    {
      connection: 'github',
      user_id: 4711,
      provider: 'github',
      isSocial: true,
      profileData: { email: 'ada@example.com', name: 'A' },
    },
  ],
};
export const AUTH0_HASH = {
  ...{ _id: { $oid: '5f7c8ec7c33c6c004bbafe82' }, email: 'ada@example.com', email_verified: true },
  ...{
    passwordHash: `$2b$10$${'a'.repeat(53)}`,
    connection: 'Username-Password-Authentication',
    tenant: 'shop',
  },
};
