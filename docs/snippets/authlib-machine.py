import os
import requests
from authlib.integrations.requests_client import OAuth2Session

server = requests.get({{discovery}}).json()
session = OAuth2Session(
    client_id={{clientId}},
    client_secret=os.environ["CLIENT_SECRET"],
    token_endpoint_auth_method={{authMethod}},
{{#scope}}
    scope={{scope}},
{{/scope}}
    token_endpoint=server["token_endpoint"],
    grant_type="client_credentials",
)

# 1. A token, until it expires: the session asks for the next one by itself.
session.fetch_token()

# 2. Call the API.
answer = session.get({{apiUrl}})
