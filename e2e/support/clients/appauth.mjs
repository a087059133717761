// A command-line program on AppAuth-JS, based on the example of its package (src/node_app): discovery, sign-in in the
// person's browser with PKCE and a loopback redirect, tokens, refresh, revocation. Its argument is JSON with its
// settings; the last line that it prints is JSON.
import { registerHooks } from 'node:module';

// the package's files import each other without `.js`, as bundlers allow
registerHooks({
  resolve(specifier, context, next) {
    const isBare = context.parentURL?.includes('/@openid/appauth/') && /^\.\.?\/[^.]*$/.test(specifier);
    return next(isBare ? `${specifier}.js` : specifier, context);
  },
});
const {
  AuthorizationNotifier,
  AuthorizationRequest,
  AuthorizationServiceConfiguration,
  BaseTokenRequestHandler,
  GRANT_TYPE_AUTHORIZATION_CODE,
  GRANT_TYPE_REFRESH_TOKEN,
  RevokeTokenRequest,
  TokenRequest,
} = await import('@openid/appauth');
const { NodeBasedHandler, NodeCrypto, NodeRequestor } = await import(
  '@openid/appauth/built/src/node_support/index.js'
);

const { issuer, clientId, port, scope } = JSON.parse(process.argv[2]);
const client = { client_id: clientId, redirect_uri: `http://127.0.0.1:${port}/cb` };
const requestor = new NodeRequestor();
const configuration = await AuthorizationServiceConfiguration.fetchFromIssuer(issuer, requestor);

const notifier = new AuthorizationNotifier();
const browser = new NodeBasedHandler(port);
browser.setAuthorizationNotifier(notifier);
const answered = new Promise((resolve, reject) => {
  notifier.setAuthorizationListener((request, response, error) =>
    response ? resolve({ request, response }) : reject(new Error(error?.error)),
  );
});
const response_type = AuthorizationRequest.RESPONSE_TYPE_CODE;
browser.performAuthorizationRequest(
  configuration,
  new AuthorizationRequest({ ...client, scope, response_type, state: undefined }, new NodeCrypto()),
);
const { request, response } = await answered;

const handler = new BaseTokenRequestHandler(requestor);
const ask = (parameters) =>
  handler.performTokenRequest(configuration, new TokenRequest({ ...client, ...parameters }));
const renew = (refresh_token) => ask({ grant_type: GRANT_TYPE_REFRESH_TOKEN, refresh_token });
const first = await ask({
  grant_type: GRANT_TYPE_AUTHORIZATION_CODE,
  code: response.code,
  extras: { code_verifier: request.internal.code_verifier },
});
const second = await renew(first.refreshToken);
const userinfo = await requestor.xhr({
  url: configuration.userInfoEndpoint,
  dataType: 'json',
  method: 'GET',
  headers: { authorization: `Bearer ${second.accessToken}` },
});
const { refreshToken: token } = second;
await handler.performRevokeTokenRequest(
  configuration,
  new RevokeTokenRequest({ token, client_id: clientId }),
);
const afterwards = await renew(token).then(
  () => 'renewed',
  (error) => error.message,
);
const { idToken } = second;
const { endSessionEndpoint } = configuration;
console.log(JSON.stringify({ idToken, userinfo, afterwards, endSessionEndpoint }));
