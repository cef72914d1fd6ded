#include "operator/runtime/lease.h"

#include "api/json/json_writer.h"

namespace ballast::runtime {

const kube::Resource kLeases{
    .group = "coordination.k8s.io", .version = "v1", .plural = "leases", .kind = "Lease"};

Result<Lease> ReadLease(const json::Document& document) {
  json::Decoder decoder(document);
  Lease lease;
  decoder.root().Required("metadata").Required("resourceVersion").Read(lease.resource_version);
  const json::Cursor spec = decoder.root().Member("spec");
  spec.Member("holderIdentity").Read(lease.record.holder);
  spec.Member("leaseDurationSeconds").Read(lease.record.duration_seconds);
  spec.Member("acquireTime").Read(lease.record.acquire_time);
  spec.Member("renewTime").Read(lease.record.renew_time);
  spec.Member("leaseTransitions").Read(lease.record.transitions);
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, "the Lease: " + status.error().message};
  }
  return lease;
}

std::string PrintLease(const api::ObjectKey& key, const LeaseRecord& record,
                       const std::string& resource_version) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kLeases.ApiVersion());
    out.Field("kind", kLeases.kind);
    out.Object("metadata", [&] {
      out.Field("name", key.name);
      out.Field("namespace", key.namespace_);
      if (!resource_version.empty()) {
        out.Field("resourceVersion", resource_version);
      }
    });
    out.Object("spec", [&] {
      out.Key("holderIdentity");
      if (record.holder.empty()) {
        out.Null();  // the API rejects an empty string
      } else {
        out.Value(record.holder);
      }
      out.Field("leaseDurationSeconds", record.duration_seconds);
      out.Field("acquireTime", record.acquire_time);
      out.Field("renewTime", record.renew_time);
      out.Field("leaseTransitions", record.transitions);
    });
  });
  return out.Take();
}

Result<Lease> Send(kube::Client& client, const api::ObjectKey& key, const LeaseRequest& request) {
  const auto call = [&] {
    if (!request.write) {
      return client.Get(kLeases, key);
    }
    const std::string body = PrintLease(key, *request.write, request.resource_version);
    return request.resource_version.empty()
               ? client.Create(kLeases, key.namespace_, body)
               : client.PatchObject(kLeases, key, "", kube::PatchType::kMerge, body);
  };
  ASSIGN_OR_RETURN(const json::Document document, call());
  return ReadLease(document);
}

}  // namespace ballast::runtime
