-- An authentication method has an epoch too: handing it to another verifier or broker renews it, and a sign-in that the one
-- before confirmed begins nothing any more. A method that is removed and made again under the same id is another one.
ALTER TABLE "auth_methods" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "auth_methods" ALTER COLUMN "epoch" SET DEFAULT next_epoch();
