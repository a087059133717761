{{#confidential}}
import os
{{/confidential}}
import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

server = requests.get({{discovery}}).json()
session = OAuth2Session(
    client_id={{clientId}},
{{#confidential}}
    client_secret=os.environ["CLIENT_SECRET"],
    token_endpoint_auth_method={{authMethod}},
{{/confidential}}
{{^confidential}}
    token_endpoint_auth_method="none",
{{/confidential}}
    redirect_uri={{redirectUri}},
{{#scope}}
    scope={{scope}},
{{/scope}}
    code_challenge_method="S256",
    token_endpoint=server["token_endpoint"],
)

# 1. Send the person away; keep verifier and state in their session.
verifier = generate_token(64)
address, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)

# 2. They come back to your redirect address: current_url.
session.fetch_token(authorization_response=current_url, state=state, code_verifier=verifier)

# 3. Call the API; an expired token is renewed on the way.
session.get({{apiUrl}})
