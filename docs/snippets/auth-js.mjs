import NextAuth from 'next-auth';

// Its redirect address is https://YOUR_APPLICATION/api/auth/callback/gatehouse
export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'gatehouse',
      name: 'Gatehouse',
      type: 'oidc',
      issuer: {{issuer}},
      clientId: {{clientId}},
      clientSecret: process.env.CLIENT_SECRET,
{{#posts}}
      client: { token_endpoint_auth_method: 'client_secret_post' },
{{/posts}}
{{^claimsInIdToken}}
      idToken: false, // name and address come from userinfo
{{/claimsInIdToken}}
    },
  ],
});
