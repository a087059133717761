// Applications on a phone, on AppAuth, which opens the browser of the system.
import type { Facts, Snippet } from './facts.ts';
import { signInScope } from './openid.ts';
import { quoted } from './quote.ts';

const listOf = (facts: Facts, quote: (one: string) => string) =>
  signInScope(facts).split(' ').map(quote).join(', ');
/** Kotlin reads a $ in a text as the beginning of a name. */
const kt = (value: string) => quoted(value).replaceAll('$', '\\$');
/** Swift reads `\\(` as the beginning of a value, and JSON writes none. */
const swiftText = quoted;

export function swift(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, apiUrl } = facts;
  const code = `// Swift package: https://github.com/openid/AppAuth-iOS
import AppAuth
import UIKit

final class SignIn {
    private var flow: OIDExternalUserAgentSession?
    private var state: OIDAuthState?

    func begin(from viewController: UIViewController) {
        let issuer = URL(string: ${swiftText(issuer)})!
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, _ in
            guard let configuration else { return }
            let request = OIDAuthorizationRequest(
                configuration: configuration,
                clientId: ${swiftText(clientId)},
                scopes: [${listOf(facts, swiftText)}],
                redirectURL: URL(string: ${swiftText(redirectUri)})!,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            self.flow = OIDAuthState.authState(byPresenting: request, presenting: viewController) { state, _ in
                self.state = state // keep it in the keychain
                self.callApi()
            }
        }
    }

    func callApi() {
        // renews the token where it has expired
        state?.performAction { token, _, _ in
            guard let token else { return }
            var request = URLRequest(url: URL(string: ${swiftText(apiUrl)})!)
            request.setValue("Bearer \\(token)", forHTTPHeaderField: "Authorization")
            URLSession.shared.dataTask(with: request).resume()
        }
    }
}
`;
  return { label: 'Swift, AppAuth', framework: 'Swift', code, unrun: true };
}

export function kotlin(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri } = facts;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(redirectUri)?.[1] ?? 'com.example.app';
  const code = `// build.gradle.kts: implementation("net.openid:appauth:0.11.1"),
// and manifestPlaceholders["appAuthRedirectScheme"] = ${kt(scheme)}
import android.app.Activity
import android.content.Intent
import android.net.Uri
import net.openid.appauth.*

class SignIn(private val activity: Activity) {
    private val service = AuthorizationService(activity)
    private lateinit var state: AuthState // keep it encrypted: state.jsonSerializeString()

    fun begin(code: Int) {
        AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${kt(issuer)})) { configuration, _ ->
            val found = configuration ?: return@fetchFromIssuer
            val request = AuthorizationRequest.Builder(
                found,
                ${kt(clientId)},
                ResponseTypeValues.CODE,
                Uri.parse(${kt(redirectUri)}),
            ).setScopes(${listOf(facts, kt)}).build()
            activity.startActivityForResult(service.getAuthorizationRequestIntent(request), code)
        }
    }

    /** In onActivityResult. */
    fun end(data: Intent, callApi: (token: String) -> Unit) {
        val response = AuthorizationResponse.fromIntent(data)
        state = AuthState(response, AuthorizationException.fromIntent(data))
        val request = response?.createTokenExchangeRequest() ?: return
        service.performTokenRequest(request) { tokens, error ->
            state.update(tokens, error)
            // renews the token where it has expired
            state.performActionWithFreshTokens(service) { token, _, _ -> token?.let(callApi) }
        }
    }
}
`;
  return { label: 'Kotlin, AppAuth', framework: 'Kotlin', code, unrun: true };
}
