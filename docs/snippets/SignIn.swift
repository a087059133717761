// Swift package: https://github.com/openid/AppAuth-iOS
import AppAuth
import UIKit

final class SignIn {
    private var flow: OIDExternalUserAgentSession?
    private var state: OIDAuthState?

    func begin(from viewController: UIViewController) {
        let issuer = URL(string: {{issuer}})!
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, _ in
            guard let configuration else { return }
            let request = OIDAuthorizationRequest(
                configuration: configuration,
                clientId: {{clientId}},
                scopes: [{{signInScopes:list}}],
                redirectURL: URL(string: {{redirectUri}})!,
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
            var request = URLRequest(url: URL(string: {{apiUrl}})!)
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            URLSession.shared.dataTask(with: request).resume()
        }
    }
}
