package io.delayq.redis;

import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Whom to believe that it is Redis: whom Java trusts, and the certificates of {@code redis.ca}. */
public final class RedisTrust {
    private RedisTrust() {}

    /** Reads files: for a worker thread. */
    public static TrustOptions load(Path pem) {
        try {
            KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
            all.load(null, null);
            for (Certificate one : javas()) {
                add(all, one);
            }
            Collection<? extends Certificate> own = read(pem);
            if (own.isEmpty()) {
                throw new IllegalArgumentException("redis.ca: there is no certificate in " + pem);
            }
            for (Certificate one : own) {
                add(all, one);
            }
            return TrustOptions.wrap(managers(all)[0]);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "redis.ca: " + pem + " is not a readable file with certificates in PEM form (" + e + ")", e);
        }
    }

    private static void add(KeyStore store, Certificate one) throws GeneralSecurityException {
        store.setCertificateEntry(Integer.toString(store.size()), one);
    }

    private static Collection<? extends Certificate> read(Path pem) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(pem)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static List<X509Certificate> javas() throws GeneralSecurityException {
        List<X509Certificate> found = new ArrayList<>();
        for (TrustManager manager : managers(null)) {
            if (manager instanceof X509TrustManager x509) {
                found.addAll(List.of(x509.getAcceptedIssuers()));
            }
        }
        return found;
    }

    /** @param store null: Java's own */
    private static TrustManager[] managers(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }
}
