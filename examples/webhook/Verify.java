import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verify a delivery of relais: the body comes on standard input.
 *
 *   WEBHOOK_SECRET=whsec_… java Verify.java "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$WEBHOOK_SIGNATURE" < body
 */
public class Verify {
  /** Throws if relais did not send exactly these bytes within the last five minutes. */
  static void verify(String secret, String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) {
      throw new GeneralSecurityException("the delivery is older than five minutes");
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    // During a rotation of the secret there are several signatures.
    for (String signature : signatures.split(" ")) {
      if (MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) return;
    }
    throw new GeneralSecurityException("no signature fits");
  }

  public static void main(String[] arguments) throws Exception {
    byte[] body = System.in.readAllBytes();
    verify(System.getenv("WEBHOOK_SECRET"), arguments[0], arguments[1], arguments[2], body);
    System.out.println(new String(body, StandardCharsets.UTF_8));
  }
}
