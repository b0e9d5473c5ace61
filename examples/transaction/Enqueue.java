import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * Refund an order: the refund and its payment are one transaction.
 *
 *   JDBC_URL='jdbc:postgresql://127.0.0.1:5432/shop?user=shop&password=password' \
 *     java -cp /usr/share/java/postgresql.jar Enqueue.java 1042 25000
 */
public class Enqueue {
  public static void main(String[] arguments) throws SQLException {
    long order = Long.parseLong(arguments[0]);
    long amount = Long.parseLong(arguments[1]);
    String request =
        """
        {"reference": "order-%d", "accountAlias": "771234567", "amount": %d, "withdrawMode": "wallet-a-senegal"}
        """
            .formatted(order, amount);

    try (var database = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
      database.setAutoCommit(false);
      try (var enqueue = database.prepareStatement("select relais.enqueue('disbursement', ?::jsonb)");
          var refund =
              database.prepareStatement(
                  "insert into refunds (order_id, amount) values (?, ?) on conflict (order_id) do nothing")) {
        enqueue.setString(1, request);
        String id;
        try (var row = enqueue.executeQuery()) {
          row.next();
          id = row.getString(1);
        }
        refund.setLong(1, order);
        refund.setLong(2, amount);
        refund.executeUpdate();
        database.commit();
        System.out.println(id);
      } catch (SQLException error) {
        // Both are rolled back, and nothing is paid.
        database.rollback();
        throw error;
      }
    }
  }
}
