{{#opaque}}
import os

{{/opaque}}
from fastapi import Depends, FastAPI

from gatehouse_verify import Caller, Gatehouse

api = Gatehouse({{metadata}}{{#opaque}}, introspection_secret=os.environ["INTROSPECTION_SECRET"]{{/opaque}})
orders = api.require({{#scope}}scope={{scope}}{{/scope}})
app = FastAPI()


@app.get("/orders")
def get_orders(caller: Caller = Depends(orders.fastapi())):
    return {"sub": caller.sub}
