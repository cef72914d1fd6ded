#include "operator/sources/pod_metrics.h"

#include <algorithm>

#include "operator/sources/source.h"

namespace ballast::sources {
namespace {

const kube::Resource kPodMetrics{
    .group = "metrics.k8s.io", .version = "v1beta1", .plural = "pods", .kind = "PodMetrics"};

// A request is about as dear as this many pods in an answer, for both sides.
constexpr std::size_t kRequestCost = 100;

constexpr std::chrono::minutes kLeftFor{10};
constexpr std::chrono::seconds kLookEvery{1};

std::size_t CostOf(std::size_t requests, std::size_t pods) {
  return requests * kRequestCost + pods;
}

std::size_t SlotsOf(std::size_t queries) {
  return (queries + kEvaluatedTogether - 1) / kEvaluatedTogether;
}

std::string KeyOf(const PodMetricsQuery& query, PodMetricsList list) {
  switch (list) {
    case PodMetricsList::kSelector:
      return query.namespace_ + "\n" + query.selector;
    case PodMetricsList::kNamespace:
      return query.namespace_;
    case PodMetricsList::kCluster:
      break;
  }
  return "";
}

// A list of the cluster is for all namespaces.
std::string LineOf(const PodMetricsQuery& query, PodMetricsList list) {
  return list == PodMetricsList::kCluster ? "" : query.namespace_;
}

// Whether a narrower list may come where this one did not.
bool MayNarrow(PodMetricsList list, Code code) {
  switch (code) {
    case Code::kForbidden:
      return list == PodMetricsList::kCluster;
    case Code::kCorrupt:
    case Code::kInvalid:
    case Code::kTimeout:
    case Code::kUnavailable:  // also what an adapter says that its own answer is too much for
      return true;
    default:
      return false;
  }
}

}  // namespace

const char* Name(PodMetricsList list) {
  switch (list) {
    case PodMetricsList::kSelector:
      return "selector";
    case PodMetricsList::kNamespace:
      return "namespace";
    case PodMetricsList::kCluster:
      break;
  }
  return "cluster";
}

void PodMetricsReader::Start(const PodMetricsQuery& query,
                             const std::function<void(const Result<FoundMetrics>& found)>& done) {
  const PodMetricsList list = Choose(query);
  const auto asked = std::make_shared<const PodMetricsQuery>(query);
  answers_.Start(
      KeyOf(query, list), FreshFor(query), [this, asked, list] { return Ask(*asked, list); },
      LineOf(query, list),
      [this, asked, list, done](const Answers::AnswerPointer& lists) {
        if (lists->ok()) {
          const auto found = (**lists)->find(asked->namespace_);
          done(FoundMetrics{found == (**lists)->end() ? std::make_shared<const NamespaceMetrics>()
                                                      : found->second,
                            list != PodMetricsList::kSelector});
        } else if (MustNarrow(asked->namespace_, list)) {
          Start(*asked, done);
        } else {
          done(lists->error());
        }
      });
}

Freshness PodMetricsReader::FreshFor(const PodMetricsQuery& query) const {
  Freshness fresh{query.max_age};
  if (const auto rhythm = looks_.rhythm()) {
    const process::SteadyTime now = clock_.Steady();
    const process::SteadyTime moment = rhythm->After(now) - rhythm->interval;
    fresh.max_age = std::min(fresh.max_age, now - moment + std::chrono::nanoseconds(1));
  }
  return fresh;
}

PodMetricsList PodMetricsReader::Choose(const PodMetricsQuery& query) {
  const process::SteadyTime now = clock_.Steady();
  looks_.Note(query.namespace_, query.selector, query.period);
  const std::lock_guard lock(mutex_);
  request_history_.Note(query.namespace_, query.selector, query.pods, query.period, now);
  const Freshness fresh = FreshFor(query);
  // A list that is there rather than one that would be waited for.
  std::optional<PodMetricsList> under_way;
  for (const PodMetricsList list :
       {PodMetricsList::kCluster, PodMetricsList::kNamespace, PodMetricsList::kSelector}) {
    if (IsLeft(query.namespace_, list)) {
      continue;
    }
    const AnswerState state = answers_.StateOf(KeyOf(query, list), fresh);
    if (state == AnswerState::kThere) {
      return list;
    }
    if (state == AnswerState::kUnderWay && !under_way) {
      under_way = list;
    }
  }
  if (under_way) {
    return *under_way;
  }
  LookAtCluster(now);
  return options_.always ? *options_.always : Cheapest(query);
}

PodMetricsList PodMetricsReader::Cheapest(const PodMetricsQuery& query) const {
  const process::SteadyTime now = clock_.Steady();
  const RequestHistory::Sum here = request_history_.Around(query.namespace_, now, query.max_age);
  const std::size_t present = count_(query.namespace_);
  if (lists_cluster_) {
    std::size_t others = 0;
    for (const auto& [namespace_, sum] : request_history_.Around(now, query.max_age)) {
      others += std::min(CostOf(1, count_(namespace_)), CostOf(sum.queries, sum.pods));
    }
    if (CostOf(1, count_("")) < others) {
      return PodMetricsList::kCluster;
    }
  }
  return !IsLeft(query.namespace_, PodMetricsList::kNamespace) &&
                 CostOf(1, present) <= CostOf(here.queries, here.pods)
             ? PodMetricsList::kNamespace
             : PodMetricsList::kSelector;
}

// Begins with lists of the cluster when they are half as dear as the others, and ceases when they
// are dearer: autoscalers change their slots each time.
void PodMetricsReader::LookAtCluster(process::SteadyTime now) {
  if (looked_at_ && now - *looked_at_ < kLookEvery) {
    return;
  }
  looked_at_ = now;
  request_history_.DropOld(now);
  std::erase_if(left_until_, [now](const auto& entry) { return now >= entry.second; });
  std::size_t queries = 0;
  std::size_t others = 0;
  for (const auto& [namespace_, sum] : request_history_.All()) {
    queries += sum.queries;
    others += std::min(SlotsOf(sum.queries) * CostOf(1, count_(namespace_)),
                       CostOf(sum.queries, sum.pods));
  }
  const std::size_t cluster = SlotsOf(queries) * CostOf(1, count_(""));
  const bool cheaper = lists_cluster_ ? cluster <= others : cluster * 2 < others;
  lists_cluster_ = options_.always == PodMetricsList::kCluster ||
                   (!options_.always && MayListCluster() && cheaper);
}

Result<PodMetricsReader::Lists> PodMetricsReader::Ask(const PodMetricsQuery& query,
                                                      PodMetricsList list) {
  return answers_.Call(LineOf(query, list), KeyOf(query, list),
                       [&] { return Request(query, list); });
}

Result<PodMetricsReader::Lists> PodMetricsReader::Request(const PodMetricsQuery& query,
                                                          PodMetricsList list) {
  const process::SteadyTime began = clock_.Steady();
  kube::ListOptions options{
      .limit = kube::kPodMetrics, .left = [&] {
        return std::chrono::floor<std::chrono::milliseconds>(began + kDeadline - clock_.Steady());
      }};
  if (list != PodMetricsList::kCluster) {
    options.namespace_ = query.namespace_;
  }
  if (list == PodMetricsList::kSelector) {
    options.label_selector = query.selector;
  }
  std::map<std::string, std::shared_ptr<NamespaceMetrics>> read;
  const Status listed = client_.List(kPodMetrics, options, [&](const json::Cursor& item) -> Status {
    api::PodMetrics pod;
    api::Decode(item, pod);
    auto& in = read[list == PodMetricsList::kCluster ? pod.namespace_ : query.namespace_];
    if (in == nullptr) {
      in = std::make_shared<NamespaceMetrics>();
    }
    in->Add(std::move(pod));
    return Done{};
  });
  metrics_.Record(kApi, listed.ok() ? std::nullopt : std::optional(listed.error()), began, clock_);
  if (!listed.ok()) {
    NoteFailure(query.namespace_, list, listed.error().code);
    return listed.error();
  }
  return Lists(std::make_shared<const ByNamespace>(read.begin(), read.end()));
}

Result<std::shared_ptr<const NamespaceMetrics>> PodMetricsReader::AskFor(const LookTarget& target) {
  ASSIGN_OR_RETURN(const Lists lists,
                   Ask({.namespace_ = target.namespace_, .selector = target.selector},
                       PodMetricsList::kSelector));
  const auto found = lists->find(target.namespace_);
  return found == lists->end() ? nullptr : found->second;
}

process::SteadyTime PodMetricsReader::LookAtSamples() {
  const process::SteadyTime next = looks_.Look();
  const auto rhythm = looks_.rhythm();
  metrics_.rhythm.With({kApi}).Set(rhythm ? std::chrono::duration<double>(rhythm->interval).count()
                                          : 0);
  return next;
}

bool PodMetricsReader::MayListCluster() const {
  return options_.cluster && !IsLeft("", PodMetricsList::kCluster);
}

void PodMetricsReader::NoteFailure(const std::string& namespace_, PodMetricsList list, Code code) {
  if (options_.always) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (list == PodMetricsList::kSelector) {
    if (code == Code::kUnavailable) {  // it is not the others that are too large
      left_until_.erase(namespace_);
      left_until_.erase("");
    }
  } else if (MayNarrow(list, code)) {
    const bool cluster = list == PodMetricsList::kCluster;
    left_until_[cluster ? "" : namespace_] = clock_.Steady() + kLeftFor;
    lists_cluster_ = lists_cluster_ && !cluster;
  }
}

bool PodMetricsReader::IsLeft(const std::string& namespace_, PodMetricsList list) const {
  const auto found = list == PodMetricsList::kSelector
                         ? left_until_.end()
                         : left_until_.find(list == PodMetricsList::kCluster ? "" : namespace_);
  return found != left_until_.end() && clock_.Steady() < found->second;
}

bool PodMetricsReader::MustNarrow(const std::string& namespace_, PodMetricsList list) const {
  const std::lock_guard lock(mutex_);
  return IsLeft(namespace_, list);
}

bool PodMetricsReader::ListsCluster() const {
  const std::lock_guard lock(mutex_);
  return lists_cluster_;
}

}  // namespace ballast::sources
