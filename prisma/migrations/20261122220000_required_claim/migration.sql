-- Who may use a client at an API: null, everybody; otherwise people whose claim `name` has one of `values`.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "subscriptions" ADD COLUMN "required_claim" JSONB;
